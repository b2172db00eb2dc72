"""Path converters by name; importing this registers them."""

from django.urls import register_converter


class CodeConverter:
    """Public ids: sixteen hexadecimal digits."""

    regex = "[0-9a-f]{16}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")
