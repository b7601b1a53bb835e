"""Numbers as the eye reads them: grouped digits, and rounding where no more is needed."""

from decimal import Decimal

NARROW_NO_BREAK_SPACE = "\u202f"


def grouped(number: int) -> str:
    """Digits in groups of three, set apart by a narrow no-break space.

    >>> grouped(1048576) == "1\u202f048\u202f576"
    True
    >>> grouped(-4096) == "\u22124\u202f096"
    True
    """
    text = f"{number:,}".replace(",", NARROW_NO_BREAK_SPACE)
    return text.replace("-", "\u2212")


def rounded(number: float, digits: int = 3) -> str:
    """`digits` significant digits, no exponent, grouped before the point.

    >>> rounded(17.3482)
    '17.3'
    >>> rounded(123456.0) == "123\u202f000"
    True
    >>> rounded(0.00012345)
    '0.000123'
    """
    whole, _, rest = f"{Decimal(f'{number:.{digits}g}'):f}".partition(".")
    sign = "\u2212" if whole.startswith("-") else ""
    return sign + grouped(int(whole.lstrip("-"))) + (f".{rest}" if rest else "")


def times_n_squared(words: int, n: int) -> str:
    """Words as a multiple of n squared.

    >>> times_n_squared(290250752, 4096) == "17.3\u202fn\u00b2"
    True
    """
    return f"{rounded(words / n**2)}{NARROW_NO_BREAK_SPACE}n\u00b2"
