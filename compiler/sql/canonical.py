"""A semantic call as one text, whatever its spelling."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlax.compiler.sql.prompt import Literal, Value

if TYPE_CHECKING:
    from sqlax.compiler.sql.call import SemanticCall


def canonical(call: SemanticCall) -> str:
    """A text that is the same for all spellings of a call, and differs where answers may."""
    fields: dict[str, object] = {
        "function": call.function.value,
        "prompt": [_canonical_part(part) for part in call.prompt],
        "labels": [[label.text, label.description] for label in call.labels],
        "multi": call.multi,
        "scale": call.scale,
        "threshold": call.threshold,
        "task_description": call.task_description,
        "examples": [[*example.parts, example.answer] for example in call.examples],
        "model": call.model,
        "on_error": call.on_error,
        "return_error_details": call.return_error_details,
        "max_error_ratio": call.max_error_ratio,
        "raw": call.raw,
    }
    if call.generation is not None:
        fields["generation"] = asdict(call.generation)
        fields["subject"] = call.subject
        fields["is_ordered"] = call.is_ordered
    return json.dumps(fields, ensure_ascii=False)


def _canonical_part(part: Literal | Value) -> list[str]:
    return ["text", part.text] if isinstance(part, Literal) else ["value", part.sql]
