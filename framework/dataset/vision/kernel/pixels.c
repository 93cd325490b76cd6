/* Loops over the pixels of images, which numpy would go through several times: a table for the values of each channel
 * together with a crop, a flip and another order of the axes; and colors from hue, saturation and value. */

#include <math.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

API const char *version(void) { return "pixels.c " SOURCE; }

/* Writes the entry of its channel's table for each byte. Steps are in bytes for the source, which may be negative to
 * flip it, and in elements for the result. */
struct pixels {
    int64_t rows, columns, channels;
    int64_t row, column;
    int64_t to_row, to_column, to_channel;
};

/* Three channels of a row. `next` is the step between columns of the result. */
#define THREE(type, next)                                                                                              \
    for (int64_t x = 0; x < columns; x++, pixel += step) {                                                             \
        first[x * (next)] = red[pixel[0]];                                                                             \
        second[x * (next)] = green[pixel[1]];                                                                          \
        third[x * (next)] = blue[pixel[2]];                                                                            \
    }

#define LOOK_UP(name, type)                                                                                            \
    API void name(const uint8_t *restrict from, type *restrict to, const type *restrict tables,                        \
                  const struct pixels *it) {                                                                           \
        const int64_t rows = it->rows, columns = it->columns, channels = it->channels, step = it->column;              \
        const int64_t to_column = it->to_column, to_channel = it->to_channel;                                          \
        const type *const red = tables, *const green = tables + 256, *const blue = tables + 512;                       \
        for (int64_t y = 0; y < rows; y++) {                                                                           \
            const uint8_t *pixel = from + y * it->row;                                                                 \
            type *const out = to + y * it->to_row;                                                                     \
            if (channels == 3) {                                                                                       \
                type *const first = out, *const second = out + to_channel, *const third = second + to_channel;         \
                if (to_column == 1)                                                                                    \
                    THREE(type, 1)                                                                                     \
                else                                                                                                   \
                    THREE(type, to_column)                                                                             \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t c = 0; c < channels; c++)                                                                     \
                for (int64_t x = 0; x < columns; x++)                                                                  \
                    out[x * to_column + c * to_channel] = tables[c * 256 + pixel[x * step + c]];                       \
        }                                                                                                              \
    }

LOOK_UP(look_up_1, uint8_t)
LOOK_UP(look_up_2, uint16_t)
LOOK_UP(look_up_4, uint32_t)
LOOK_UP(look_up_8, uint64_t)

/* Compiled for two kinds of processors where the loader can choose. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST
#endif

/* ((value * factor + term) / divisor - mean) / deviation for each channel, in this order of roundings. */
struct scale {
    float factor[3], term[3], divisor[3], mean[3], deviation[3];
};

#define SCALED(c, value) ((((value) * it->factor[c] + it->term[c]) / it->divisor[c] - it->mean[c]) / it->deviation[c])

/* A row of pixels of three channels to three rows. */
FAST static void scale_row(const uint8_t *restrict from, float *restrict red, float *restrict green,
                           float *restrict blue, int64_t columns, const struct scale *restrict it) {
    for (int64_t x = 0; x < columns; x++) {
        const float r = from[3 * x], g = from[3 * x + 1], b = from[3 * x + 2];
        red[x] = SCALED(0, r);
        green[x] = SCALED(1, g);
        blue[x] = SCALED(2, b);
    }
}

FAST static void turn_row(float *restrict row, int64_t columns) {
    for (int64_t x = 0; x < columns / 2; x++) {
        const float kept = row[x];
        row[x] = row[columns - 1 - x];
        row[columns - 1 - x] = kept;
    }
}

/* Three channels to three planes. A negative step between columns is a flip, done on the rows of the result. */
API void scale_planes(const uint8_t *from, float *to, const struct pixels *places, const struct scale *it) {
    const int64_t columns = places->columns, flip = places->column < 0;
    for (int64_t y = 0; y < places->rows; y++) {
        const uint8_t *row = from + y * places->row - (flip ? 3 * (columns - 1) : 0);
        float *const red = to + y * places->to_row, *const green = red + places->to_channel;
        float *const blue = green + places->to_channel;
        scale_row(row, red, green, blue, columns, it);
        if (flip) {
            turn_row(red, columns);
            turn_row(green, columns);
            turn_row(blue, columns);
        }
    }
}

/* Red, green and blue from hue, saturation and value, all 0..255 and adjacent. Values are cut off in the first
 * `cut` columns of a row and rounded in the others. */
API void hue_to_rgb(const uint8_t *from, uint8_t *to, int64_t rows, int64_t columns, int64_t cut) {
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++, from += 3, to += 3) {
            const float sixth = from[0] * (6 / 255.0f), s = from[1] * (1 / 255.0f), v = from[2] * (1 / 255.0f);
            const int sector = (int)sixth;
            const float part = sixth - sector;
            const float low = v * (1.0f - s), falling = v * (1.0f - s * part), rising = v * (1.0f - s * (1.0f - part));
            const float red[] = {v, falling, low, low, rising, v};
            const float green[] = {rising, v, v, falling, low, low};
            const float blue[] = {low, low, rising, v, v, falling};
            const int place = sector % 6;
            const float colors[] = {red[place] * 255.0f, green[place] * 255.0f, blue[place] * 255.0f};
            for (int c = 0; c < 3; c++)
                to[c] = (uint8_t)(x < cut ? colors[c] : rintf(colors[c]));
        }
}
