"""A progress bar on standard error for queries that take longer than a second."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from sqlax.runtime.program import Progress

_PATIENCE_SECONDS = 1.0


class ProgressBar:
    """Shows prompts answered of those known to be wanted; call it with each slice's progress.

    Args:
        patience: seconds that a run may take before the bar is shown.
    """

    def __init__(self, patience: float = _PATIENCE_SECONDS) -> None:
        self._patience = patience
        self._began: float | None = None
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, progress: Progress) -> None:
        """Show how far the run is; the bar goes away when all wanted prompts are answered."""
        now = time.monotonic()
        self._began = self._began or now
        if self._bar is None and now - self._began < self._patience:
            return
        bar, task = self._shown()
        bar.update(task, completed=progress.answered, total=progress.wanted)
        if progress.answered >= progress.wanted:
            self.close()

    @property
    def is_shown(self) -> bool:
        """Whether the bar is on the screen."""
        return self._bar is not None

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = self._began = None

    def _shown(self) -> tuple[Bar, TaskID]:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (
                TextColumn("prompts"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("prompts")
        return self._bar, self._task
