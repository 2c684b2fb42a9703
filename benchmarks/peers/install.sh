#!/bin/sh
# Installs one peer into an environment of its own: benchmarks/peers/install.sh llama_cpp|transformers|vllm
set -e
here=$(dirname "$0")
if [ ! -f "$here/$1/requirements.txt" ]; then
  echo "usage: $0 llama_cpp|transformers|vllm" >&2
  exit 2
fi
home="${SQLAX_PEERS:-$HOME/.cache/sqlax/peers}/$1"
# What it was made from is kept beside it: to ask pip again takes seconds.
if cmp -s "$here/$1/requirements.txt" "$home/installed.txt"; then
  exit 0
fi
"${PYTHON:-python3}" -m venv "$home"
"$home/bin/pip" install --quiet --disable-pip-version-check -r "$here/$1/requirements.txt"
# These come with vLLM, serve only images and sound, and cannot be imported beside its torch.
if [ "$1" = vllm ]; then
  "$home/bin/pip" uninstall --quiet --yes torchvision torchaudio torchcodec
fi
cp "$here/$1/requirements.txt" "$home/installed.txt"
