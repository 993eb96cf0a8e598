"""How many connections are open, in total and for each address."""

from __future__ import annotations

from collections import Counter

from floorline.service.host.descriptors import connections_allowed
from floorline.service.http.limits import MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS


class ConnectionCount:
    """Counts connections and refuses those beyond a limit.

    >>> count = ConnectionCount(total=3, per_address=2)
    >>> [count.open(address) for address in ("a", "a", "a", "b", "c")]
    [True, True, False, True, False]
    """

    def __init__(self, total: int, per_address: int) -> None:
        self._max_total = total
        self._max_per_address = per_address
        self._total = 0
        self._by_address: Counter[str] = Counter()

    def open(self, address: str) -> bool:
        """Count a connection, unless there are too many; return whether it was counted."""
        network = network_of(address)
        if self._total >= self._max_total or self._by_address[network] >= self._max_per_address:
            return False
        self._total += 1
        self._by_address[network] += 1
        return True

    def close(self, address: str) -> None:
        """Forget a connection that was counted."""
        network = network_of(address)
        self._total -= 1
        self._by_address[network] -= 1
        if not self._by_address[network]:
            del self._by_address[network]


def connection_count() -> ConnectionCount:
    """Return a count with the limits of this process; no address gets all connections."""
    total = min(MAX_CONNECTIONS, connections_allowed())
    return ConnectionCount(total, min(MAX_CONNECTIONS_PER_ADDRESS, total - total // 16))


def network_of(address: str) -> str:
    """Return the part of an address that identifies one client.

    That is the first half of an IPv6 address: a client can choose the rest.

    >>> network_of("192.0.2.1"), network_of("2001:db8:0:1:2:3:4:5"), network_of("2001:db8::5")
    ('192.0.2.1', '2001:db8:0:1', '2001:db8:0:0')
    """
    if ":" not in address or address.startswith("::ffff:"):  # the latter is an IPv4 address
        return address
    left, shortened, right = address.partition("%")[0].partition("::")
    groups = left.split(":") if left else []
    if shortened:
        rest = right.split(":") if right else []
        groups += ["0"] * (8 - len(groups) - len(rest)) + rest
    return ":".join(groups[:4])
