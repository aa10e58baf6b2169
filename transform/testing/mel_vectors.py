"""Prints mel_vectors.h: mel spectrograms as numpy computes them in float64.

python3 transform/testing/mel_vectors.py > transform/testing/mel_vectors.h
"""
import numpy

RATE = 16000
LENGTH = 3200
# Name, FFT size, hop, mels, whether Slaney's, lowest and highest frequency, whether centred.
CASES = [("kHtkVector", 400, 160, 12, False, 0, 8000, True),
         ("kSlaneyVector", 512, 200, 12, True, 50, 7600, False),
         ("kOddVector", 375, 500, 12, False, 0, 8000, True)]


def sound():
    """Two tones and noise of a linear congruential generator, as MelSound() of the test makes them."""
    state, samples = 1, []
    for i in range(LENGTH):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        tones = 0.5 * numpy.sin(2 * numpy.pi * 440 * i / RATE) + 0.25 * numpy.sin(2 * numpy.pi * 3000 * i / RATE)
        samples.append(tones + 0.1 * (state / 2 ** 32 - 0.5))
    return numpy.array(samples, dtype=numpy.float32).astype(numpy.float64)


def mel_of(hertz, slaney):
    if not slaney:
        return 2595 * numpy.log10(1 + hertz / 700)
    return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * numpy.log(hertz / 1000) / numpy.log(6.4)


def hertz_of(mel, slaney):
    if not slaney:
        return 700 * (10 ** (mel / 2595) - 1)
    return numpy.where(mel < 15, mel * 200 / 3, 1000 * numpy.exp(numpy.log(6.4) / 27 * (mel - 15)))


def filters(size, mels, slaney, lowest, highest):
    corners = hertz_of(numpy.linspace(mel_of(lowest, slaney), mel_of(highest, slaney), mels + 2), slaney)
    frequencies = numpy.arange(size // 2 + 1) * RATE / size
    left, middle, right = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    weights = numpy.minimum((frequencies - left) / (middle - left), (right - frequencies) / (right - middle))
    weights = numpy.maximum(0, weights)
    return weights * 2 / (right - left) if slaney else weights


def spectrogram(size, hop, mels, slaney, lowest, highest, centre):
    samples = numpy.pad(sound(), size // 2, mode="reflect") if centre else sound()
    window = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(size) / size)
    starts = range(0, len(samples) - size + 1, hop)
    power = numpy.abs(numpy.fft.rfft([samples[at:at + size] * window for at in starts])) ** 2
    return filters(size, mels, slaney, lowest, highest) @ power.T


print("""// Mel spectrograms of MelSound(), [mels, frames], as numpy computes them. mel_vectors.py prints this.
#pragma once

namespace tidemill::transform::testing {
""")
for name, *case in CASES:
    print(f"inline constexpr double {name}[] = {{")
    numbers = [f"{number:.6e}" for number in spectrogram(*case).ravel()]
    for at in range(0, len(numbers), 7):
        print("    " + ", ".join(numbers[at:at + 7]) + ("," if at + 7 < len(numbers) else "};"))
    print()
print("}  // namespace tidemill::transform::testing")
