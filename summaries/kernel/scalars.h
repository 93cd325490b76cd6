/* Writes scalars as records of an event file, for the summary writer's thread, which must not hold the interpreter's lock
 * while the training needs it. Included by walk.c. */
#pragma once

#include "checksum.h"
#include "wire.h"

/* A value to be written; Python packs the same structure. */
struct scalar {
    int64_t step;
    double wall, value;
    int64_t tag; /* the number of its tag */
};

/* The names of tags, one after another. */
struct names {
    const uint8_t *bytes;
    const uint64_t *ends;
};

static uint8_t *put(uint8_t *at, const void *data, size_t size) {
    memcpy(at, data, size);
    return at + size;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value > 0x7F; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static size_t varint_size(uint64_t value) {
    size_t size = 1;
    while (value >>= 7)
        size++;
    return size;
}

static uint8_t *put_checksum(uint8_t *at, const uint8_t *data, size_t size) {
    uint32_t crc = ~crc_of(~0u, data, size);
    crc = (crc >> 15 | crc << 17) + 0xA282EAD8u;
    return put(at, &crc, sizeof crc);
}

static uint64_t name_begin(const struct names *names, int64_t tag) { return tag ? names->ends[tag - 1] : 0; }

/* The size of a `Summary.Value` with a number. */
static size_t value_size(const struct names *names, int64_t tag) {
    size_t name = (size_t)(names->ends[tag] - name_begin(names, tag));
    return 1 + varint_size(name) + name + 1 + sizeof(float);
}

static uint8_t *put_value(uint8_t *at, const struct names *names, const struct scalar *scalar) {
    uint64_t begin = name_begin(names, scalar->tag), size = names->ends[scalar->tag] - begin;
    float number = (float)scalar->value;
    *at++ = BYTES(1);
    at = put_varint(at, value_size(names, scalar->tag));
    *at++ = BYTES(1);
    at = put_varint(at, size);
    at = put(at, names->bytes + begin, size);
    *at++ = FIXED32(3);
    return put(at, &number, sizeof number);
}

/* Writes one record with the values of one step and time. */
static uint8_t *put_event(uint8_t *at, const struct names *names, const struct scalar *scalars, size_t count) {
    size_t summary = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = value_size(names, scalars[i].tag);
        summary += 1 + varint_size(size) + size;
    }
    uint64_t step = (uint64_t)scalars->step;
    uint64_t length = 1 + sizeof(double) + 1 + varint_size(step) + 1 + varint_size(summary) + summary;
    at = put_checksum(put(at, &length, sizeof length), at, sizeof length);
    const uint8_t *payload = at;
    *at++ = FIXED64(1);
    at = put(at, &scalars->wall, sizeof scalars->wall);
    *at++ = VARINT(2);
    at = put_varint(at, step);
    *at++ = BYTES(5);
    at = put_varint(at, summary);
    for (size_t i = 0; i < count; i++)
        at = put_value(at, names, &scalars[i]);
    return put_checksum(at, payload, length);
}

/* Whether two consecutive values belong to one event: both have the same step and the same time, or no time. */
static bool is_one_event(const struct scalar *first, const struct scalar *next) {
    bool timeless = first->wall != first->wall && next->wall != next->wall;
    return first->step == next->step && (first->wall == next->wall || timeless);
}

/* Writes records; consecutive scalars of one step and time share a record.
 *
 * `records` has space for 64 bytes and the name of each scalar, `ends` for the end of each record. Returns the number of
 * records.
 */
EXPORT size_t encode_scalars(const struct scalar *scalars, size_t count, const uint8_t *names, const uint64_t *name_ends,
                             uint8_t *records, uint64_t *ends) {
    const struct names known = {names, name_ends};
    uint8_t *at = records;
    size_t written = 0;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count; next++)
            if (!is_one_event(&scalars[first], &scalars[next]))
                break;
        at = put_event(at, &known, &scalars[first], next - first);
        ends[written++] = (uint64_t)(at - records);
    }
    return written;
}
