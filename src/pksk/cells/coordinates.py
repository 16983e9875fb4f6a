"""Latitudes and longitudes: their ranges, and distances between positions."""

from __future__ import annotations

from math import asin, cos, isfinite, pi, radians, sin, sqrt
from typing import Final, cast

from pksk.errors import InvalidValue, quote

# The mean radius of the Earth (IUGG): 2/3 of the equatorial one and 1/3 of the polar one.
EARTH_RADIUS_M: Final = 6_371_008.8
HALF_CIRCUMFERENCE_M: Final = pi * EARTH_RADIUS_M


def check_position(lat: float, lng: float) -> None:
    """Raise an error if this is not a position on the Earth; it says so if the two may be swapped.

    Example:
        >>> check_position(139.7, 35.7)
        Traceback (most recent call last):
        pksk.errors.InvalidValue: Latitude 139.7 is not from -90 to 90.
        Fix: did you swap latitude and longitude? Latitude comes first.  (pksk explain cell-position)
    """
    try:
        if -90 <= lat <= 90 and -180 <= lng <= 180:
            return
    except TypeError:  # a text or None, which the next check rejects
        pass
    if not (is_finite(lat) and is_finite(lng)):
        raise InvalidValue(
            "cell-position",
            f"Latitude {quote(lat)} and longitude {quote(lng)} are not a position: both must be finite numbers.",
            fix="pass numbers, and leave out positions that are not known.",
        )
    swapped = -90 <= lng <= 90 and -180 <= lat <= 180
    raise InvalidValue(
        "cell-position",
        f"Longitude {lng} is not from -180 to 180."
        if -90 <= lat <= 90
        else f"Latitude {lat} is not from -90 to 90.",
        fix="did you swap latitude and longitude? Latitude comes first."
        if swapped
        else "pass degrees, latitude first.",
    )


def is_finite(value: object) -> bool:
    """Whether this is a number that is neither infinite nor NaN.

    Example:
        >>> is_finite(51.5), is_finite("51.5"), is_finite(float("nan"))
        (True, False, False)
    """
    try:
        return isfinite(cast("float", value))
    except (TypeError, OverflowError):
        return False


def wrap_longitude(lng: float) -> float:
    """A longitude of a map that was turned around, as one from -180 to 180; both ends stay as they are.

    Example:
        >>> wrap_longitude(190), wrap_longitude(180), wrap_longitude(-725)
        (-170, 180, -5)
    """
    return lng if -180 <= lng <= 180 else (lng + 180) % 360 - 180


def distance_m(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """The great-circle distance of two positions in metres, on a sphere.

    Example:
        >>> round(distance_m(51.507, -0.128, 48.857, 2.352))
        343480
    """
    return EARTH_RADIUS_M * central_angle(lat, lng, other_lat, other_lng)


def central_angle(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """The great-circle distance of two positions as an angle in radians.

    Example:
        >>> central_angle(0, 0, 0, 180)
        3.141592653589793
    """
    half_up, half_across = radians(other_lat - lat) / 2, radians(other_lng - lng) / 2
    square = sin(half_up) ** 2 + cos(radians(lat)) * cos(radians(other_lat)) * sin(half_across) ** 2
    return 2 * asin(min(1.0, sqrt(square)))
