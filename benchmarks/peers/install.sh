#!/bin/sh
# Installs one peer into an environment of its own: benchmarks/peers/install.sh llama_cpp|transformers
set -e
here=$(dirname "$0")
home="${SQLAX_PEERS:-$HOME/.cache/sqlax/peers}/$1"
"${PYTHON:-python3}" -m venv "$home"
"$home/bin/pip" install --quiet -r "$here/$1/requirements.txt"
