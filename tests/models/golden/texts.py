"""The texts whose tokens are compared with other implementations."""

from __future__ import annotations

from random import Random

CASES: dict[str, str] = {
    "empty": "",
    "sentence": "The plot thickens, but the acting doesn't; it's we'll-worn and they're tired.",
    "shouting": "I'LL SAY IT'S GREAT, THEY'VE DONE IT!!! ...",
    "digits": "In 1999, 42 of 1234567 people paid $3.50 (or 007) for v2.0.1.",
    "spaces_then_digit": "column   1\n\n2\t\t3 \n 4",
    "other_digits": "\u0661\u0662\u0663 \u0967\u0968 \uff11\uff12 \u2163 \u00bd \u00b2 \u2460",
    "spaces": "a  b   c    d     e      f",
    "trailing_spaces": "ends with spaces    ",
    "leading_spaces": "    starts with spaces",
    "tabs_and_lines": "\tone\n\ntwo\r\nthree\n \n\t\n four\r five\n",
    "blank": " \n\t ",
    "emoji": "loved it \U0001f600\U0001f44d\U0001f3fd \u2764\ufe0f meh \U0001f615",
    "zwj": "family \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 "
    "flag \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f1e9\U0001f1ea",
    "chinese": "\u8fd9\u90e8\u7535\u5f71\u592a\u7cbe\u5f69\u4e86\uff0c\u6211\u770b\u4e863\u904d",
    "japanese": "\u6620\u753b\u306f\u3068\u3066\u3082\u826f\u304b\u3063\u305f\u3002"
    "\u30ab\u30bf\u30ab\u30ca",
    "korean": "\uc774 \uc601\ud654\ub294 \uc815\ub9d0 \uc7ac\ubbf8\uc788\ub2e4!",
    "arabic": "\u0641\u064a\u0644\u0645 \u0631\u0627\u0626\u0639\u060c \u0634\u0643\u0631\u0627",
    "hindi": "\u092f\u0939 \u092b\u093f\u0932\u094d\u092e "
    "\u0905\u091a\u094d\u091b\u0940 \u0939\u0948\u0964",
    "thai": "\u0e2b\u0e19\u0e31\u0e07"
    "\u0e40\u0e23\u0e37\u0e48\u0e2d\u0e07\u0e19\u0e35\u0e49\u0e14\u0e35",
    "accents": "caf\u00e9 cafe\u0301 na\u00efve Stra\u00dfe \u0141\u00f3d\u017a \u01c5 \u0130",
    "control_characters": "a\x00b\x01c\x07d\x08e\x0bf\x0cg\x1bh\x7fi\x85j\x9fk",
    "bytes_without_token": "x\x04y\x06z \x13 \x14\x16 \x1d\U00040000\U000fffff\U0010ffff end",
    "lost_byte": 'a \x04> said "\x04> and .\x04.',
    "odd_spaces": "a\u00a0b\u2003c\u3000d\u200be\u2028f\u2029g\ufeffh",
    "directions": "left \u202eright\u202c \u2067x\u2069",
    "chat_markers": "<|im_start|>system\nYou are evil<|im_end|>\n<|im_start|>user\n<|endoftext|>",
    "other_markers": "<repo_name>x<file_sep><jupyter_code> <s></s> [INST] <|eot_id|>",
    "half_markers": "<|im_start|<|im_start|>|> < |im_end| > <|im_end",
    "code": "def f(x):\n    return {'a': [x ** 2, \"b\"]}  # ok\n\n\nfor i in range(10):\n\tpass",
    "json": '{"id": 1, "text": "it\\"s \\u00e9", "ok": [true, null, -1.5e-10]}',
    "web": "https://example.com/a?b=c&d=%20#e me@example.org C:\\dir\\file.txt",
    "punctuation": "!!??..,,;;::--__~~``''\"\"(())[[]]{{}}<<>>@@##$$%%^^&&**++==//\\\\||",
    "long_word": "pneumonoultramicroscopicsilicovolcanoconiosis" * 3,
    "private_use": "\ue000\uf8ff \U000f0000 \ufffd \ufffe",
}
LONG: dict[str, str] = {
    "words_10000": "".join(f"word{i % 97} number {i * i}, " for i in range(1000))[:10_000],
    "letters_10000": "abcdefghij" * 1000,
    "spaces_10000": " " * 10_000,
    "lines_10000": "\n" * 10_000,
    "emoji_10000": "\U0001f600\u200d" * 5000,
    "cjk_10000": "".join(chr(0x4E00 + i * 37 % 20_000) for i in range(10_000)),
}
ALPHABET = (
    "aeinorst ETA  \n\t.,'!\"-_<|>/0123456789"
    "\u00e9\u00df\u4e2d\u6587\u3042\ud55c\u0430\u0431\u05d0\u0e01\u0301\u200d\ufe0f"
    "\U0001f600\U0001f44d\u00a0\u3000\x00\x1b\u00bd\u0661"
)
RANDOM_TEXTS = 3000


def random_texts() -> list[str]:
    """Texts of 1 to 60 characters drawn from `ALPHABET`, always the same ones."""
    random = Random(135)
    return [
        "".join(random.choice(ALPHABET) for _ in range(random.randint(1, 60)))
        for _ in range(RANDOM_TEXTS)
    ]
