/* Checks that bytes are text that can be shown: UTF-8 as Python decodes it, without a zero. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

static bool is_text(const uint8_t *at, size_t size) {
    const uint8_t *end = at + size;
    while (at < end) {
        uint8_t first = *at;
        size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        /* No character begins with 0x80 to 0xBF or above 0xF4; 0xC0 and 0xC1 begin overlong encodings. */
        if (!first || (first >= 0x80 && first < 0xC2) || first > 0xF4 || (size_t)(end - at) < length)
            return false;
        for (size_t byte = 1; byte < length; byte++)
            if (!is_continuation(at[byte]))
                return false;
        /* Overlong encodings, surrogates, and code points that are too large. */
        if ((first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F) || (first == 0xF0 && at[1] < 0x90) ||
            (first == 0xF4 && at[1] > 0x8F))
            return false;
        at += length;
    }
    return true;
}
