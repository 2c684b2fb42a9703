"""Messages of other programs without the secrets that web addresses may carry."""

from __future__ import annotations

import re

USER_INFO = re.compile(r"(?<=://)[^/\s'\"<>]+@")
QUERY = re.compile(r"(?P<address>\w+://[^\s'\"<>?]+)\?[^\s'\"<>]+")
TOKEN = re.compile(r"\b(hf|pypi|gh[pousr]|glpat)[_-][\w-]{8,}")


def redact(message: str) -> str:
    """`message` with user names, passwords, query strings and access tokens replaced by ***."""
    message = USER_INFO.sub("***@", message)
    message = QUERY.sub(r"\g<address>?***", message)
    return TOKEN.sub("***", message)
