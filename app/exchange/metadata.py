"""DataExchangeMetadata and Security (PTF V1.0), Annotation (OSD V1.5): where data comes from and how far to trust it.

Two forms of DataExchangeMetadata are published and no data satisfies both. The newer one, with a Header, is the rule.
The older one differs for data that can be written at all only in lacking the Header and DataType; it is taken too,
as nothing is lost. Hence: a DataType needs the Header.

Domain Access reads none of Legality, AnnotationRights, ProcessInstance, Time and Trace: of these only that they are
objects is asked. `oneOf` over objects with one member each is stated as an object with exactly one member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema, model_validator

from app.exchange.parts import (
    Foreign,
    Integer,
    Items,
    OneMember,
    Part,
    Share,
    ShortText,
    Uri,
    data_type,
    is_uri,
)
from app.exchange.time import SimpleTime

if TYPE_CHECKING:  # app.exchange.space needs this module, and completes it
    from app.exchange.space import SpatialAttitude

TypeCode: TypeAlias = Annotated[str, Field(pattern=r"^[A-Z]{3}-[A-Z]{3}-V[0-9]{1,2}\.[0-9]{1,2}$")]
"""A data type or AIM with its version, e.g. PGM-KDA-V1.0."""

Base64: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "contentEncoding": "base64"})]
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[A-Fa-f0-9]{64}$")]
_UUID = r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"


def _process_or_uri(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, str) and is_uri(value)):
        return value
    raise ValueError("a ProcessInstance or an absolute URI is expected")


ProcessOrUri: TypeAlias = Annotated[
    Any,
    PlainValidator(_process_or_uri),
    WithJsonSchema({"oneOf": [{"type": "object"}, {"type": "string", "format": "uri"}]}),
]


class AIMSource(OneMember):
    """Who made the data."""

    AIMID: str | None = None
    ImplementerAIMID: str | None = None


class AIMReference(OneMember):
    """An AIM, by type or identifier."""

    AIMType: TypeCode | None = None
    AIMID: str | None = None
    ImplementerAIMID: str | None = None


class DataReference(OneMember):
    """Data, by type or identifier."""

    DataType: TypeCode | None = None
    DataID: str | None = None


class Authorisation(Part):
    """Which AIM or Process may use which data."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 2, "maxProperties": 2})

    AIMInstance: Annotated[Items[AIMReference], Field(min_length=1)] | None = None
    ProcessInstance: Annotated[Items[AIMSource], Field(min_length=1)] | None = None
    Data: Annotated[Items[DataReference], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_party(self) -> Self:
        if (self.AIMInstance is None) == (self.ProcessInstance is None):
            raise ValueError("exactly one of AIMInstance, ProcessInstance is expected")
        return self


class SecurityIdentity(Part):
    """Who vouches for the sender."""

    Source: Items[ProcessOrUri] | None = None
    Issuer: Uri
    CredentialType: (
        Items[
            Literal[
                "PKI-X509",
                "DID-W3C",
                "VerifiableCredentials",
                "SPIFFE",
                "TPM-Identity",
                "SecureEnclave-Identity",
                "WebAuthn-FIDO2",
                "PSK-Identity",
                "Custom",
            ]
        ]
        | None
    ) = None
    CredentialRef: Uri | None = None


class Transmission(Part):
    """How the data travels."""

    Protocol: Literal["HTTPS", "MQTT", "CoAP", "WebSocket", "Custom"]
    Version: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,32}$")] | None = None
    ChannelId: Annotated[str, Field(pattern=_UUID), WithJsonSchema({"type": "string", "format": "uuid"})] | None = (
        None
    )


class Hash(Part):
    """A digest of the data."""

    Algorithm: Literal[
        "PTF-ALGO-HASH-SHA256",
        "PTF-ALGO-HASH-SHA384",
        "PTF-ALGO-HASH-SHA512",
        "PTF-ALGO-HASH-SHA3-256",
        "PTF-ALGO-HASH-SHA3-512",
        "PTF-ALGO-HASH-BLAKE3",
        "PTF-ALGO-HASH-CUSTOM",
    ]
    Value: Digest


_Hash: TypeAlias = Hash


class Integrity(Part):
    """That the data is unchanged."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"Signature": ["KeyID"]}})

    Hash: _Hash
    Signature: Annotated[str, Field(pattern=r"^([0-9A-F]{2})+$")] | None = None
    KeyID: str | None = None

    @model_validator(mode="after")
    def _key(self) -> Self:
        if self.Signature is not None and self.KeyID is None:
            raise ValueError("a Signature needs its KeyID")
        return self


class Encryption(Part):
    """How the data is kept secret."""

    Algorithm: (
        Items[
            Literal[
                "TLS-1.3",
                "mTLS",
                "AES-256-GCM",
                "ChaCha20-Poly1305",
                "RSA-OAEP",
                "EndToEndEncryption",
                "TEE-ConfidentialCompute",
                "HomomorphicEncryption",
                "SMPC",
                "Custom",
            ]
        ]
        | None
    ) = None
    KeyId: Uri | None = None
    IV: Annotated[str, Field(pattern=r"^[A-Fa-f0-9]{24}$")] | None = None
    AAD: Base64 | None = None
    CiphertextRef: Uri | None = None


class Authentication(Part):
    """That the sender is who it says."""

    Token: Base64 | None = None
    Format: (
        Items[
            Literal[
                "mTLS",
                "OAuth2",
                "OpenID-Connect",
                "JWT-JWS",
                "Kerberos",
                "SASL",
                "HardwareSecurityKeys",
                "TPM-Attestation",
                "TEE-Attestation",
                "Custom",
            ]
        ]
        | None
    ) = None
    Trace: Foreign | None = None


class Authorization(Part):
    """That the sender may send it."""

    SignedDecision: Base64 | None = None
    Format: (
        Items[
            Literal[
                "OAuth2-Scopes",
                "OPA-Rego",
                "XACML",
                "RBAC",
                "ABAC",
                "PBAC",
                "Microsegmentation",
                "ServiceMesh-Authorization",
                "Custom",
            ]
        ]
        | None
    ) = None
    Trace: Foreign | None = None


class Freshness(Part):
    """That the data is no replay."""

    Nonce: str | None = None
    Sequence: Integer | None = None
    Timestamp: Foreign | None = None
    Format: (
        Items[
            Literal[
                "Nonces",
                "Timestamps",
                "MonotonicCounters",
                "SequenceNumbers",
                "AntiReplayWindows",
                "ChannelBinding",
                "Custom",
            ]
        ]
        | None
    ) = None
    Trace: Foreign | None = None


class Attestation(Part):
    """That the sender runs what it says."""

    Evidence: Base64 | None = None
    Format: (
        Items[
            Literal[
                "TPM-RemoteAttestation",
                "TEE-SGX-Attestation",
                "TEE-SEV-Attestation",
                "TEE-TrustZone-Attestation",
                "RuntimeIntegrityChecks",
                "RemoteMeasurementProtocols",
                "Custom",
            ]
        ]
        | None
    ) = None
    Trace: Foreign | None = None


class SecurityTimestamps(Part):
    """When the data was signed and encrypted."""

    SignedAt: SimpleTime | None = None
    EncryptedAt: SimpleTime | None = None


_Transmission: TypeAlias = Transmission
_Integrity: TypeAlias = Integrity
_Encryption: TypeAlias = Encryption
_Authentication: TypeAlias = Authentication
_Authorization: TypeAlias = Authorization
_Freshness: TypeAlias = Freshness
_Attestation: TypeAlias = Attestation


class Security(Part):
    """How the data is protected."""

    model_config = data_type("Security V1.0", "PTF/V1.0/data/Security.json")

    Header: Literal["PTF-SEC-V1.0"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    SecurityID: str | None = None
    SecurityTime: SimpleTime | None = None
    Identity: SecurityIdentity
    Transmission: _Transmission
    Integrity: _Integrity
    Encryption: _Encryption | None = None
    Authentication: _Authentication | None = None
    Authorization: _Authorization | None = None
    Freshness: _Freshness | None = None
    Attestation: _Attestation | None = None
    AuditChainHash: Digest | None = None
    Timestamps: SecurityTimestamps | None = None
    DescrMetadata: ShortText | None = None


class PermittedAction(Part):
    """A Process Action that is permitted on annotated data."""

    ProcessActionID: str | None = None


class AnnotationItem(Part):
    """One annotation."""

    AnnotationJSONText: str | None = None
    AnnotationSpaceTime: SimpleTime | None = None
    ProcessActions: Items[PermittedAction] | None = None


class Annotation(Part):
    """Annotations of an Item; the newer published form, for the older requires a member that it does not declare."""

    model_config = data_type("Annotation V1.5", "OSD/V1.5/data/Annotation.json")

    Header: Literal["OSD-ANN-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    AnnotationID: str
    AnnotationTime: SimpleTime | None = None
    AnnotationData: Items[AnnotationItem] | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


_Annotation: TypeAlias = Annotation
_Security: TypeAlias = Security


class PlacedAnnotation(Part):
    """An Annotation with its place, time and Rights."""

    Annotation: _Annotation
    AnnotationSpace: SpatialAttitude | None = None
    AnnotationTime: SimpleTime | None = None
    AnnotationRights: Foreign | None = None


class DataExchangeMetadata(Part):
    """Provenance, authorisation, security and confidence of data."""

    model_config = data_type(
        "DataExchangeMetadata V1.0",
        "PTF/V1.0/data/DataExchangeMetadata.json",
        dependentRequired={"DataType": ["Header"]},
    )

    Header: Literal["PTF-DEM-V1.0"] | None = None
    """Absent in the older form."""
    MInstanceID: str | None = None
    DataExchangeMetadataID: str | None = None
    DataExchangeMetadataTime: SimpleTime | None = None
    DataID: str
    """Identifier of the data that is described."""
    DataType: TypeCode | None = None
    """Type of the data that is described."""
    Source: Annotated[Items[AIMSource], Field(min_length=1)]
    """Who made the data."""
    Authorisations: Items[Authorisation] | None = None
    Legality: Foreign | None = None
    Security: _Security | None = None
    Confidence: Share | None = None
    """Confidence, from 0 to 1."""
    Annotations: Annotated[Items[PlacedAnnotation], Field(min_length=1)] | None = None
    DescrMetadata: ShortText | None = None

    @model_validator(mode="after")
    def _header(self) -> Self:
        if self.DataType is not None and self.Header is None:
            raise ValueError("a DataType needs the Header")
        return self
