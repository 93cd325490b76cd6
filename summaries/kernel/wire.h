/* Protobuf's wire format: reading keys, numbers and parts of a message, never beyond its end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rest of a message. */
struct cursor {
    const uint8_t *at, *end;
};

/* The key of a field is its number times eight, plus its wire type. */
#define VARINT(number) ((number) << 3 | 0)
#define FIXED64(number) ((number) << 3 | 1)
#define BYTES(number) ((number) << 3 | 2)
#define FIXED32(number) ((number) << 3 | 5)

/* Reads a varint, with seven bits per byte. It must have the fewest possible bytes, as all writers produce it. */
static bool read_varint(struct cursor *cursor, uint64_t *value) {
    if (cursor->at < cursor->end && *cursor->at < 0x80) { /* nearly all of them */
        *value = *cursor->at++;
        return true;
    }
    uint64_t total = 0;
    for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
        uint64_t byte = *cursor->at++;
        if (shift == 63 && byte > 1)
            return false;
        total |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = total;
            return byte || !shift;
        }
    }
    return false;
}

/* Reads the key of a field with a number that can occur here; returns false for any other key. */
static bool read_key(struct cursor *cursor, uint32_t *key) {
    uint64_t value;
    if (!read_varint(cursor, &value) || value > 0xFFFF)
        return false;
    *key = (uint32_t)value;
    return true;
}

static bool read_bytes(struct cursor *cursor, struct cursor *content) {
    uint64_t size;
    if (!read_varint(cursor, &size) || size > (uint64_t)(cursor->end - cursor->at))
        return false;
    content->at = cursor->at;
    content->end = cursor->at += size;
    return true;
}

static bool read_fixed(struct cursor *cursor, void *value, size_t size) {
    if ((size_t)(cursor->end - cursor->at) < size)
        return false;
    memcpy(value, cursor->at, size);
    cursor->at += size;
    return true;
}

static size_t size_of(struct cursor content) { return (size_t)(content.end - content.at); }
