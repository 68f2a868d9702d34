"""Loads the pictures of a camera with Hugging Face's datasets, beside the dataset that they were added to.

Usage: frames.py DATASET FOLDER [PREFIX], with what the columns of pictures begin with.
"""

import sys

import datasets
import numpy as np

dataset, folder = datasets.load_from_disk(sys.argv[1]), datasets.load_from_disk(sys.argv[2])
prefix = (*sys.argv[3:], "")[0]
for kind in ("rgb", "depth", "segmentation", "normals"):
    assert isinstance(folder.features[prefix + kind], datasets.Image), folder.features
assert len(dataset) == len(folder) > 10, (len(dataset), len(folder))
for key in ("episode", "world", "t_ns"):
    assert dataset[key] == folder[key], key
    assert dataset.features[key] == folder.features[key], key
for row in folder:
    rgb, depth, labels, normals = (
        np.asarray(row[prefix + kind]) for kind in ("rgb", "depth", "segmentation", "normals"))
    assert rgb.shape == (18, 24, 3) and rgb.dtype == np.uint8, (rgb.shape, rgb.dtype)
    assert depth.shape == labels.shape == (18, 24), (depth.shape, labels.shape)
    assert ((depth == 0) >= (labels == 0)).all() and depth.max() > 1000 and 0 < labels.max() < 20
    assert normals.shape == (18, 24, 3) and normals.dtype == np.uint8, (normals.shape, normals.dtype)
    lengths = np.linalg.norm((normals.astype(float) - 128) / 127, axis=2)
    assert np.abs(lengths - (labels > 0)).max() < 0.01, lengths
