"""Run the command line as `python -m lormika`."""

from lormika.cli import main

if __name__ == "__main__":
    main()
