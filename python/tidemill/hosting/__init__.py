"""What a host of Python plug-ins is made of. docs/formats/plugin_protocol.md says what it does; plug-ins do not import it."""
