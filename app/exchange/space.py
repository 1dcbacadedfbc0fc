"""Places and attitudes (OSD V1.5), from SimpleLocation down to Position and Orientation.

Lengths are metres, angles degrees; x points right, y up, z to the front. SimpleLocation and SpaceTime are published
open. Of RightParallelepiped the newer form is the rule, with Dimensions and CartPositions; the older one is taken
where it says as much.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from app.exchange import metadata
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Items, Number, OpenPart, Part, ShortText, Triplet, data_type
from app.exchange.time import SimpleTime

CoordinateType: TypeAlias = Literal["Cartesian", "Spherical", "Cylindrical", "Geodetic", "Toroidal"]
ObjectKind: TypeAlias = Literal["DigitalHuman", "Generic"]
Medium: TypeAlias = Literal[
    "3D Model",
    "Audio",
    "AudioVisual",
    "Haptic",
    "LiDAR",
    "OfflineMap",
    "RADAR",
    "Smell",
    "Speech",
    "Text",
    "Ultrasound",
    "Visual",
]


class Coordinates(Part):
    """What the coordinates are of, and in which system."""

    CoordType: CoordinateType
    ObjectType: ObjectKind | None = None
    MediaType: Medium | None = None


class ObjectDescription(Part):
    """What is oriented."""

    ObjectType: ObjectKind | None = None
    MediaType: Medium | None = None


class Position(Part):
    """Where something is, how fast it moves and how exactly that is known."""

    model_config = data_type("Position V1.5", "OSD/V1.5/data/Position.json")

    Header: Literal["OSD-OPS-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    PositionID: str
    PositionTime: SimpleTime | None = None
    PositionSpaceTime: SimpleTime | None = None
    General: Coordinates | None = None
    CartPosition: Triplet | None = None
    """x, y, z in metres."""
    CartPositionAccuracy: Triplet | None = None
    SpherPosition: Triplet | None = None
    """Radius in metres, two angles in degrees."""
    SpherPositionAccuracy: Triplet | None = None
    CartVelocity: Triplet | None = None
    CartVelocityAccuracy: Triplet | None = None
    SpherVelocity: Triplet | None = None
    SpherVelocityAccuracy: Triplet | None = None
    CartAccel: Triplet | None = None
    CartAccelAccuracy: Triplet | None = None
    SpherAccel: Triplet | None = None
    SpherAccelAccuracy: Triplet | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


class Orientation(Part):
    """Which way something faces, as three Euler angles."""

    model_config = data_type("Orientation V1.5", "OSD/V1.5/data/Orientation.json")

    Header: Literal["OSD-OOR-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    OrientationID: str
    OrientationTime: SimpleTime | None = None
    OrientationSpaceTime: SimpleTime | None = None
    General: ObjectDescription | None = None
    Orientation: Triplet
    """Euler angles in degrees."""
    OrientAccuracy: Triplet | None = None
    OrientVelocity: Triplet | None = None
    OrientVelocityAccuracy: Triplet | None = None
    OrientAccel: Triplet | None = None
    OrientAccelAccuracy: Triplet | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


_Position: TypeAlias = Position
_Orientation: TypeAlias = Orientation


class SpatialAttitude(Part):
    """Position and Orientation together."""

    model_config = data_type("SpatialAttitude V1.5", "OSD/V1.5/data/SpatialAttitude.json")

    Header: Literal["OSD-OSA-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    ObjectSpatialAttitudeID: str
    SpatialAttitudeTime: SimpleTime | None = None
    General: Coordinates | None = None
    Position: _Position
    Orientation: _Orientation
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


class SpaceTime(OpenPart):
    """A Spatial Attitude, or the way from one to another, at a time."""

    model_config = data_type("SpaceTime V1.5", "OSD/V1.5/data/SpaceTime.json")

    Header: Literal["OSD-SPT-V1.5"] | None = None
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    SpaceTimeID: str | None = None
    SpatialAttitude1: SpatialAttitude | None = None
    SpatialAttitude2: SpatialAttitude | None = None
    Time: SimpleTime | None = None
    DescrMetadata: ShortText | None = None


class CartesianCoordinates(OpenPart):
    """A point, in metres."""

    X: Number
    Y: Number
    Z: Number


class Point(OpenPart):
    """A point of the older form."""

    Coordinates: CartesianCoordinates


_Point: TypeAlias = Point


class Vertex(OpenPart):
    """A vertex of the older form."""

    Point: _Point


def _when(dimensions: str, **bounds: int) -> dict[str, Any]:
    return {
        "if": {"required": ["Dimensions"], "properties": {"Dimensions": {"const": dimensions}}},
        "then": {"properties": {"CartPositions": bounds}},
    }


class RightParallelepiped(Part):
    """A rectangle by 3 vertices or a box by 4: a vertex, then its right, front and up neighbours.

    The older form has its vertices as points in `RightParallelepiped`, in place of Dimensions and CartPositions.
    """

    model_config = data_type(
        "RightParallelepiped V1.5",
        "OSD/V1.5/data/RightParallelepiped.json",
        **{
            "allOf": [_when("2D", maxItems=3), _when("3D", minItems=4)],
            "if": {"required": ["RightParallelepiped"]},
            "then": {"properties": {"Dimensions": False, "Precision": False, "CartPositions": False}},
            "else": {"required": ["Header", "Dimensions", "CartPositions"]},
        },
    )

    Header: Literal["OSD-RPP-V1.5"] | None = None
    """May be absent in the older form."""
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    RightParallelepipedID: str | None = None
    RightParallelepipedSpaceTime: SpaceTime | None = None
    Dimensions: Literal["2D", "3D"] | None = None
    Precision: Literal["Single", "Double"] | None = None
    CartPositions: Annotated[tuple[Triplet, ...], Field(min_length=3, max_length=4, strict=False)] | None = None
    """The vertices, each x, y, z in metres."""
    RightParallelepiped: Annotated[Items[Vertex], Field(min_length=3, max_length=4)] | None = None
    """The vertices in the older form; fewer than 3 make no rectangle."""
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None

    @property
    def vertices(self) -> tuple[tuple[float, ...], ...]:
        """The vertices of either form, each x, y, z in metres."""
        if self.RightParallelepiped is None:
            return self.CartPositions or ()
        points = (vertex.Point.Coordinates for vertex in self.RightParallelepiped)
        return tuple((point.X, point.Y, point.Z) for point in points)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        newer = (self.Dimensions, self.CartPositions)
        if self.RightParallelepiped is not None:
            if any(value is not None for value in (*newer, self.Precision)):
                raise ValueError("the two forms do not mix")
        elif self.Header is None or self.CartPositions is None or self.Dimensions is None:
            raise ValueError("Header, Dimensions and CartPositions are expected")
        elif len(self.CartPositions) != (3 if self.Dimensions == "2D" else 4):
            raise ValueError("2D has 3 vertices, 3D has 4")
        return self


_SpaceTime: TypeAlias = SpaceTime
_RightParallelepiped: TypeAlias = RightParallelepiped


class LocationPart(OpenPart):
    """A box, and where it is."""

    SpaceTime: _SpaceTime | None = None
    RightParallelepiped: _RightParallelepiped | None = None


class SimpleLocation(OpenPart):
    """A place as a combination of boxes."""

    model_config = data_type("SimpleLocation V1.5", "OSD/V1.5/data/SimpleLocation.json")

    Header: Literal["OSD-SLC-V1.5"] | None = None
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    SimpleLocationID: str | None = None
    SimpleLocationData: Items[LocationPart] | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


# Metadata may carry annotations with a place, and places metadata: the circle is closed here.
for _model in (metadata.PlacedAnnotation, DataExchangeMetadata, metadata.Annotation):
    _model.model_rebuild(_types_namespace={**vars(metadata), "SpatialAttitude": SpatialAttitude})
