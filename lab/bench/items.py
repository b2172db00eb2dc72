"""How long a table of items takes into a campaign, on a new SQLite database.

    python -m lab bench items --items 100000 [--phrases 20000] [--profile]

Five paraphrases of one phrase in one sentence, each by a condition of its own, unless
``--phrases`` says otherwise. Processor time is what counts on a busy machine.
"""

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections import deque
from pathlib import Path


def table(path: Path, n_items: int, n_phrases: int) -> None:
    """Write rows as people write them: sentence, phrase, paraphrase, condition."""
    each = -(-n_items // n_phrases)
    with path.open("w") as file:
        file.write("sentence\tphrase\tparaphrase\tcondition\tscore\n")
        for n in range(n_items):
            place = n // each
            sentence = f"The {place}th door of the long house was slowly opened again ."
            file.write(
                f"{sentence}\tslowly opened\twas put ajar {n % each}"
                f"\tsystem {n % each % 5}\t0.{n % 97:02}\n"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--phrases", type=int)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GEMEL_HOME"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "annotator.settings"
        measure(options, Path(folder))


def measure(options: argparse.Namespace, folder: Path) -> None:
    import django

    django.setup()
    from django.core.files.base import File
    from django.core.management import call_command

    from annotator.models import Campaign
    from annotator.services.campaigns import item_files, items, setup
    from annotator.services.projects import members

    call_command("migrate", verbosity=0)
    owner = members.ensure_owner()[0]
    project = members.create("Items", by=owner)
    campaign = setup.create(project, "Items", by=owner)
    table(folder / "items.tsv", options.items, options.phrases or options.items // 5)
    with (folder / "items.tsv").open("rb") as file:
        upload = item_files.keep(campaign, "items.tsv", File(file), by=owner)
    profile = cProfile.Profile()
    wall, processor = time.perf_counter(), time.process_time()
    if options.profile:
        profile.enable()
    deque(items.load(campaign, upload, by=owner), maxlen=0)
    profile.disable()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    stored = Campaign.objects.get(pk=campaign.pk).items.count()
    print(f"{stored} items: {processor:.1f} s of the processor, {wall:.1f} s in all")
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
