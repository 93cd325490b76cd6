/* Loops over the pixels of images, which numpy would go through several times: a table for the values of each channel
 * together with a crop, a flip and another order of the axes; and colors from hue, saturation and value. */

#include <math.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

API const char *version(void) { return SOURCE; }

/* Writes the entry of its channel's table for each byte. Steps are in bytes for the source, which may be negative to
 * flip it, and in elements for the result. */
struct pixels {
    int64_t rows, columns, channels;
    int64_t row, column;
    int64_t to_row, to_column, to_channel;
};

#define LOOK_UP(name, type)                                                                                            \
    API void name(const uint8_t *from, type *to, const type *tables, const struct pixels *it) {                        \
        for (int64_t y = 0; y < it->rows; y++) {                                                                       \
            const uint8_t *line = from + y * it->row;                                                                  \
            type *out = to + y * it->to_row;                                                                           \
            if (it->channels == 3) {                                                                                   \
                type *second = out + it->to_channel, *third = second + it->to_channel;                                 \
                for (int64_t x = 0; x < it->columns; x++) {                                                            \
                    const uint8_t *pixel = line + x * it->column;                                                      \
                    out[x * it->to_column] = tables[pixel[0]];                                                         \
                    second[x * it->to_column] = tables[256 + pixel[1]];                                                \
                    third[x * it->to_column] = tables[512 + pixel[2]];                                                 \
                }                                                                                                      \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t c = 0; c < it->channels; c++)                                                                 \
                for (int64_t x = 0; x < it->columns; x++)                                                              \
                    out[x * it->to_column + c * it->to_channel] = tables[c * 256 + line[x * it->column + c]];          \
        }                                                                                                              \
    }

LOOK_UP(look_up_1, uint8_t)
LOOK_UP(look_up_2, uint16_t)
LOOK_UP(look_up_4, uint32_t)
LOOK_UP(look_up_8, uint64_t)

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
