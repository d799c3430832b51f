"""Jobs of an array, started at the same time with one folder."""

from __future__ import annotations

import json

from children import end


def test_shards_race_and_finish(batch, reference) -> None:
    wanted = reference(7)
    jobs = [batch.start("good", "out", "--chunk-rows", 7, "--workers", 1, "--shard", f"{i}/3") for i in range(3)]
    try:
        for job in jobs:
            printed, _ = job.communicate()
            assert job.returncode == 0, printed
    finally:
        for job in jobs:
            end(job)
    assert batch.parts("out") == wanted
    batch.locks = (".lock", ".writing")
    assert batch.leftovers("out") == []
    assert json.loads((batch.folder / "out" / "manifest.json").read_text())["rows"] == 60
    assert len(list((batch.folder / "out").glob("manifest*"))) == 1
    assert len(list((batch.folder / "out").glob("background-*"))) == 1
    again = batch.run("good", "out", "--chunk-rows", 7, "--shard", "1/3")
    assert again.returncode == 0


def test_one_shard_alone_does_not_finish(batch) -> None:
    done = batch.run("good", "out", "--chunk-rows", 7, "--workers", 1, "--shard", "1/3")
    assert done.returncode == 0
    assert not (batch.folder / "out" / "manifest.json").exists()
    assert sorted(batch.parts("out")) == [
        f"{kind}/part-0000{i}.parquet" for kind in ("instances", "rules") for i in (1, 4, 7)
    ]
    wrong = batch.run("good", "out", "--shard", "3/3")
    assert wrong.returncode == 2
    assert "--shard" in wrong.stderr
    assert "from 0/4 to 3/4" in wrong.stderr
