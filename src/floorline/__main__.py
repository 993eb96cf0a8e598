"""`python -m floorline`."""

from floorline.cli.main import main

main()
