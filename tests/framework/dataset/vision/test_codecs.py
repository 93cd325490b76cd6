"""Encoded images: damaged ones are errors that name the file, large ones are refused, what was written is read."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

import framework as ms
import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812

RNG = np.random.default_rng(11)
SMOOTH = cv2.resize(RNG.integers(256, size=(5, 6, 3)).astype(np.uint8), (48, 40), interpolation=cv2.INTER_CUBIC)
#: Cut and flipped files; the long run of the suite has more.
DAMAGES = 2000


def encoded(kind: str, image: Any = SMOOTH, **options: Any) -> Any:
    file = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(file, kind, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


FILES = {
    "plain.jpg": encoded("JPEG"),
    "progressive.jpg": encoded("JPEG", progressive=True, quality=95),
    "gray.jpg": encoded("JPEG", SMOOTH[..., 0]),
    "plain.png": encoded("PNG"),
    "alpha.png": encoded("PNG", np.dstack([SMOOTH, SMOOTH[..., 0]])),
    "palette.png": encoded("PNG", Image.fromarray(SMOOTH).convert("P")),
    "small.bmp": encoded("BMP"),
    "some.gif": encoded("GIF"),
    "some.tif": encoded("TIFF"),
    "some.webp": encoded("WEBP"),
}


def damaged(data: Any, rng: np.random.Generator) -> Any:
    """A file that ends early, or has a few other bytes."""
    data = data.copy()
    if rng.random() < 0.4:
        return data[: int(rng.integers(len(data)))]
    places = rng.integers(len(data), size=int(rng.integers(1, 12)))
    data[places] ^= (1 << rng.integers(8, size=len(places))).astype(np.uint8)
    return data


def read(path: Path) -> tuple[Any, str]:
    """The image, or None and the error."""
    try:
        return V.read_image(path, V.ImageReadMode.COLOR), ""
    except RuntimeError as error:
        return None, str(error)


def test_damaged_files_are_errors_or_images(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    refused = 0
    for number in range(DAMAGES):
        name = list(FILES)[number % len(FILES)]
        path = tmp_path / f"{number}-{name}"
        path.write_bytes(damaged(FILES[name], rng).tobytes())
        image, said = read(path)
        if image is None:
            assert str(path) in said
            refused += 1
        else:
            assert (image.ndim, image.shape[2], image.dtype) == (3, 3, np.uint8)
    assert refused > DAMAGES / 4


@pytest.mark.parametrize("name", FILES)
def test_files_without_their_end_are_refused(name: str) -> None:
    data = FILES[name]
    for size in (0, 1, 9, 40, len(data) // 2, len(data) - 20):
        with pytest.raises(RuntimeError, match="bytes are not an image that can be read"):
            V.Decode()(data[:size])


def test_a_pipeline_names_the_damaged_file(tmp_path: Path) -> None:
    folder = tmp_path / "cats"
    folder.mkdir()
    (folder / "cut.jpg").write_bytes(FILES["plain.jpg"][:200].tobytes())
    data = ds.ImageFolderDataset(tmp_path, shuffle=False).map(V.Decode(), "image")
    with pytest.raises(RuntimeError, match=r"operation 1 of 1 \(Decode\), at .*cut.jpg: RuntimeError: .*ends early"):
        next(iter(data))


def sized_png(width: int, height: int) -> Any:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return np.frombuffer(b"\x89PNG\r\n\x1a\n" + b"".join(parts), np.uint8)


def sized_jpeg(width: int, height: int) -> Any:
    data = FILES["plain.jpg"].tobytes()
    place = data.index(b"\xff\xc0")
    return np.frombuffer(data[: place + 5] + struct.pack(">HH", height, width) + data[place + 9 :], np.uint8)


@pytest.mark.parametrize("make", [sized_png, sized_jpeg])
def test_headers_of_enormous_images_are_refused(make: Any) -> None:
    with pytest.raises(RuntimeError, match=r"image of 65535 x 65535 pixels is larger than 268435456 pixels"):
        V.Decode()(make(65535, 65535))
    with pytest.raises(RuntimeError, match="set_max_image_pixels"):
        V.Decode(to_pil=True)(make(65535, 65535))


def test_the_limit_of_pixels_can_be_set() -> None:
    most = ds.config.get_max_image_pixels()
    try:
        ds.config.set_max_image_pixels(48 * 40 - 1)
        with pytest.raises(RuntimeError, match="48 x 40 pixels is larger than 1919 pixels"):
            V.Decode()(FILES["plain.png"])
        ds.config.set_max_image_pixels(48 * 40)
        assert V.Decode()(FILES["plain.png"]).shape == (40, 48, 3)
        with pytest.raises(ValueError, match="max_image_pixels must lie between"):
            ds.config.set_max_image_pixels(0)
    finally:
        ds.config.set_max_image_pixels(most)


@pytest.mark.parametrize("name", FILES)
def test_decoding_is_pillows(name: str) -> None:
    wanted = np.asarray(Image.open(io.BytesIO(FILES[name].tobytes())).convert("RGB"))
    np.testing.assert_array_equal(V.Decode()(FILES[name]), wanted)
    np.testing.assert_array_equal(np.asarray(V.Decode(to_pil=True)(FILES[name])), wanted)
    np.testing.assert_array_equal(V.Decode()(FILES[name].tobytes()), wanted)
    assert V.get_image_size(FILES[name]) == [40, 48]


def test_inks_become_light() -> None:
    inks = Image.fromarray(SMOOTH).convert("CMYK")
    made = V.Decode()(encoded("JPEG", inks, quality=100))
    assert abs(made.astype(int) - SMOOTH).mean() < 3
    assert V.get_image_num_channels(encoded("JPEG", inks)) == 4


def test_sixteen_bits_become_eight_or_stay(tmp_path: Path) -> None:
    deep = (np.arange(12).reshape(3, 4) * 5000).astype(np.uint16)
    path = tmp_path / "deep.png"
    cv2.imwrite(str(path), deep)
    np.testing.assert_array_equal(V.Decode()(V.read_file(path))[..., 0], deep >> 8)
    np.testing.assert_array_equal(V.read_image(path)[..., 0], deep)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    place = tmp_path / "image.png"
    V.write_png(place, SMOOTH, 9)
    np.testing.assert_array_equal(V.read_image(place), SMOOTH)
    gray = V.read_image(place, V.ImageReadMode.GRAYSCALE)
    assert gray.shape == (40, 48, 1)
    np.testing.assert_array_equal(V.Decode()(V.encode_png(ms.Tensor(SMOOTH))), SMOOTH)
    V.write_jpeg(tmp_path / "image.jpg", SMOOTH[..., :1], 90)
    assert abs(V.read_image(tmp_path / "image.jpg")[..., 0].astype(int) - SMOOTH[..., 0]).mean() < 3
    assert len(V.encode_jpeg(SMOOTH, 100)) > len(V.encode_jpeg(SMOOTH)) > len(V.encode_jpeg(SMOOTH, 10))
    assert abs(V.Decode()(V.encode_jpeg(SMOOTH, 95)).astype(int) - SMOOTH).mean() < 3
    alpha = tmp_path / "alpha.png"
    V.write_file(alpha, FILES["alpha.png"])
    np.testing.assert_array_equal(V.read_image(alpha)[..., 3], SMOOTH[..., 0])
    np.testing.assert_array_equal(V.read_file(alpha), FILES["alpha.png"])
    still = tmp_path / "some.gif"
    V.write_file(still, FILES["some.gif"])
    assert V.read_image(still, V.ImageReadMode.GRAYSCALE).shape == (40, 48, 1)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="quality is not within"):
        V.encode_jpeg(SMOOTH, 0)
    with pytest.raises(ValueError, match="compression_level is not within"):
        V.encode_png(SMOOTH, 10)
    with pytest.raises(TypeError, match="Input image is not of type"):
        V.encode_png([1, 2])
    with pytest.raises(RuntimeError, match="should be UINT8, but got float64"):
        V.encode_png(SMOOTH / 2)
    with pytest.raises(RuntimeError, match="invalid shape"):
        V.encode_jpeg(SMOOTH[..., :2])
    with pytest.raises(RuntimeError, match="UINT8 of one dimension"):
        V.write_file(tmp_path / "x", SMOOTH)
    with pytest.raises(TypeError, match="Input data is not of type"):
        V.write_file(tmp_path / "x", "text")
    with pytest.raises(FileNotFoundError):
        V.read_image(tmp_path / "missing.png")


def test_sizes_and_channels() -> None:
    assert V.get_image_size(SMOOTH) == [40, 48]
    assert V.get_image_size(Image.fromarray(SMOOTH)) == [40, 48]
    assert V.get_image_num_channels(SMOOTH[..., 0]) == 1
    assert V.get_image_num_channels(Image.fromarray(SMOOTH)) == 3
    with pytest.raises(TypeError, match="Input image is not of type"):
        V.get_image_size("no")
    with pytest.raises(RuntimeError, match="invalid dimensions: 4"):
        V.get_image_num_channels(SMOOTH[None])


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten pictures, one after the other brighter, at five per second."""
    path = tmp_path_factory.mktemp("film") / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5, (48, 40))
    for number in range(10):
        writer.write(np.full((40, 48, 3), (20 * number, 0, 0), np.uint8))
    writer.release()
    return path


def test_videos_are_read(film: Path) -> None:
    pictures, sound, rates = V.read_video(film)
    assert pictures.shape == (10, 40, 48, 3)
    assert abs(pictures[:, 5, 5, 2].astype(int) - np.arange(0, 200, 20)).max() < 6
    assert (sound.size, rates) == (0, {"video_fps": 5.0})
    times, rate = V.read_video_timestamps(film, "sec")
    assert rate == 5.0
    np.testing.assert_allclose(np.diff(times), 0.2, atol=1e-6)
    later, _, _ = V.read_video(film, times[4], times[6], "sec")
    np.testing.assert_array_equal(later, pictures[4:7])
    counted, _ = V.read_video_timestamps(film)
    assert counted == sorted(counted)
    decoded, silence = V.DecodeVideo()(np.fromfile(film, np.uint8))
    np.testing.assert_array_equal(decoded, pictures)
    assert silence.size == 0


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not exist"):
        V.read_video(tmp_path / "missing.avi")
    (tmp_path / "text.avi").write_text("no video" * 100)
    with pytest.raises(RuntimeError, match="is not a video that can be read"):
        V.read_video_timestamps(tmp_path / "text.avi")
    with pytest.raises(RuntimeError, match="800 bytes are not a video"):
        V.DecodeVideo()(np.zeros(800, np.uint8))
    with pytest.raises(ValueError, match="pts_unit"):
        V.read_video(tmp_path / "missing.avi", pts_unit="hours")
    with pytest.raises(ValueError, match="end_pts"):
        V.read_video(tmp_path / "missing.avi", 3, 2)
