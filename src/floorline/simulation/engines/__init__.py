"""The engines that play runs: compiled or interpreted on the CPU, and on a GPU."""
