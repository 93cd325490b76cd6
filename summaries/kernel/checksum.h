/* CRC-32C as in records, by the processor's instruction if it has one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Event files are little-endian and are read here as they are; other machines use the decoder in Python."
#endif

static uint64_t load64(const uint8_t *data) {
    uint64_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

static uint32_t load32(const uint8_t *data) {
    uint32_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

/* Continues the CRC-32C `crc` with these bytes; it is inverted before the first byte and after the last one. */
typedef uint32_t crc_function(uint32_t crc, const uint8_t *data, size_t size);

static uint32_t crc_tables[8][256];

static void fill_crc_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
        crc_tables[0][byte] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = crc_tables[table - 1][byte];
            crc_tables[table][byte] = crc >> 8 ^ crc_tables[0][crc & 0xFF];
        }
}

/* Eight bytes at a time, with one table per byte. */
static uint32_t crc_by_tables(uint32_t crc, const uint8_t *data, size_t size) {
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word = load64(data) ^ crc;
        crc = 0;
        for (int byte = 0; byte < 8; byte++)
            crc ^= crc_tables[7 - byte][word >> 8 * byte & 0xFF];
    }
    for (; size; data++, size--)
        crc = crc >> 8 ^ crc_tables[0][(crc ^ *data) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
#include <cpuid.h>

/* The instruction of SSE4.2 in assembler, because compilers enable it for a single function in different ways. */
static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *data, size_t size) {
    uint64_t wide = crc;
    for (; size >= 8; data += 8, size -= 8)
        __asm__("crc32q %1, %0" : "+r"(wide) : "r"(load64(data)));
    crc = (uint32_t)wide;
    /* Records are short, and each instruction waits for the previous one: three for the rest instead of seven. */
    if (size & 4) {
        __asm__("crc32l %1, %0" : "+r"(crc) : "r"(load32(data)));
        data += 4;
    }
    if (size & 2) {
        uint16_t half;
        memcpy(&half, data, sizeof half);
        __asm__("crc32w %1, %0" : "+r"(crc) : "r"(half));
        data += 2;
    }
    if (size & 1)
        __asm__("crc32b %1, %0" : "+r"(crc) : "q"(*data));
    return crc;
}

static bool has_instruction(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_2;
}
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static uint32_t crc_by_instruction(uint32_t crc, const uint8_t *data, size_t size) {
    for (; size >= 8; data += 8, size -= 8)
        crc = __crc32cd(crc, load64(data));
    for (; size; data++, size--)
        crc = __crc32cb(crc, *data);
    return crc;
}

static bool has_instruction(void) { return true; }
#else
#define crc_by_instruction crc_by_tables

static bool has_instruction(void) { return false; }
#endif

static crc_function *crc_of = crc_by_tables;

__attribute__((constructor)) static void choose_crc(void) {
    fill_crc_tables();
    if (has_instruction())
        crc_of = crc_by_instruction;
}

/* Whether `data` has this checksum of a record, which is rotated and has a constant added. */
static bool is_sound(const uint8_t *data, size_t size, uint32_t stored) {
    uint32_t crc = ~crc_of(~0u, data, size);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u == stored;
}
