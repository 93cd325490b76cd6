/* The loops of halves.h as numpy calls them; what they do not cover goes to the loops that numpy had before. */

EXPORT int has_half_loops(void) {
#ifdef HALF_LOOPS
    return is_wide();
#else
    return 0;
#endif
}

EXPORT void widen_halves(const uint16_t *x, float *out, int64_t count) {
    PICK(widen_halves)(x, out, count);
}

EXPORT void narrow_halves(const float *x, uint16_t *out, int64_t count) {
    PICK(narrow_halves)(x, out, count);
}

EXPORT void widen_brains(const uint32_t *x, void *out, int64_t count) {
    PICK(widen_brains)((const uint16_t *)x, out, count);
}

EXPORT void narrow_brains(const uint32_t *x, uint16_t *out, int64_t count) {
    PICK(narrow_brains)(x, out, count);
}

typedef void ufunc_loop(char **given, const int64_t *lengths, const int64_t *steps, void *data);

#ifdef HALF_LOOPS
/* Whether an operand lies element after element or is one number, and is the output itself or apart from it:
 * accumulation reads what it has just written. */
INLINE int is_plain(const char *given, int64_t step, const char *out) {
    const int64_t apart = given < out ? out - given : given - out;
    return (step == 0 || step == 2) && (apart >= 2 * LANES || (apart == 0 && step == 2));
}

#define TWO(name, size)                                                                                                \
    static ufunc_loop *before_##name;                                                                                  \
    static void run_##name(char **given, const int64_t *lengths, const int64_t *steps, void *data) {                   \
        if (steps[2] == (size) && is_plain(given[0], steps[0], given[2]) && is_plain(given[1], steps[1], given[2])) {  \
            const unsigned flags = _mm_getcsr();                                                                       \
            half_##name##_avx2(given, lengths[0], steps);                                                              \
            /* Comparisons with NaN raise no flags. */                                                                 \
            if ((size) == 1)                                                                                           \
                _mm_setcsr(flags);                                                                                     \
        } else                                                                                                         \
            before_##name(given, lengths, steps, data);                                                                \
    }
#define EXTREME(name)                                                                                                  \
    static ufunc_loop *before_##name;                                                                                  \
    static void run_##name(char **given, const int64_t *lengths, const int64_t *steps, void *data) {                   \
        const unsigned flags = _mm_getcsr();                                                                           \
        const int is_reduction = given[0] == given[2] && steps[0] == 0 && steps[2] == 0 && steps[1] == 2;              \
        if (is_reduction && lengths[0] > 0)                                                                            \
            half_##name##_of_all_avx2((uint16_t *)given[2], (const uint16_t *)given[1], lengths[0]);                   \
        else if (steps[2] == 2 && is_plain(given[0], steps[0], given[2]) && is_plain(given[1], steps[1], given[2]))    \
            half_##name##_avx2(given, lengths[0], steps);                                                              \
        else                                                                                                           \
            before_##name(given, lengths, steps, data);                                                                \
        _mm_setcsr(flags);                                                                                             \
    }
#define ONE(name, size)                                                                                                \
    static ufunc_loop *before_##name;                                                                                  \
    static void run_##name(char **given, const int64_t *lengths, const int64_t *steps, void *data) {                   \
        if (steps[0] == 2 && steps[1] == (size) && is_plain(given[0], steps[0], given[1])) {                           \
            const unsigned flags = _mm_getcsr();                                                                       \
            half_##name##_avx2(given, lengths[0], steps);                                                              \
            if ((size) == 1)                                                                                           \
                _mm_setcsr(flags);                                                                                     \
        } else                                                                                                           \
            before_##name(given, lengths, steps, data);                                                                \
    }

/* So many numbers at a time are converted, computed by numpy's loop for Float32, and rounded. */
enum { BLOCK = 512 };

INLINE void by_floats(ufunc_loop *run, void *data, char **given, int64_t count, const int64_t *steps, int operands) {
    float held[3][BLOCK];
    const int64_t four[] = {4, 4, 4};
    char *places[] = {(char *)held[0], (char *)held[1], (char *)held[2]};
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t some = count - first < BLOCK ? count - first : BLOCK;
        for (int i = 0; i < operands; i++) {
            const uint16_t *x = (const uint16_t *)given[i];
            if (steps[i])
                widen_halves_avx2(x + first, held[i], some);
            else
                for (int64_t at = 0; at < some; at++)
                    held[i][at] = widened_any(*x);
        }
        run(places, &some, four, data);
        narrow_halves_avx2(held[operands], (uint16_t *)given[operands] + first, some);
    }
}

#define BY_FLOATS(name, operands)                                                                                      \
    static ufunc_loop *before_##name, *floats_##name;                                                                  \
    static void *data_##name;                                                                                          \
    static void run_##name(char **given, const int64_t *lengths, const int64_t *steps, void *data) {                   \
        int plain = steps[operands] == 2;                                                                              \
        for (int i = 0; i < (operands); i++)                                                                           \
            plain = plain && is_plain(given[i], steps[i], given[operands]);                                            \
        if (plain)                                                                                                     \
            by_floats(floats_##name, data_##name, given, lengths[0], steps, operands);                                 \
        else                                                                                                           \
            before_##name(given, lengths, steps, data);                                                                \
    }

#define EVERY(TWO, EXTREME, ONE, BY_FLOATS)                                                                            \
    TWO(add, 2) TWO(subtract, 2) TWO(multiply, 2) TWO(divide, 2) TWO(greater, 1) TWO(greater_equal, 1) TWO(less, 1)    \
    TWO(less_equal, 1) TWO(equal, 1) TWO(not_equal, 1) EXTREME(maximum) EXTREME(minimum) ONE(sqrt, 2) ONE(square, 2)   \
    ONE(reciprocal, 2) ONE(floor, 2) ONE(ceil, 2) ONE(trunc, 2) ONE(rint, 2) ONE(isnan, 1) ONE(isfinite, 1)            \
    BY_FLOATS(power, 2) BY_FLOATS(arctan2, 2) BY_FLOATS(cos, 1) BY_FLOATS(sin, 1) BY_FLOATS(exp, 1) BY_FLOATS(log, 1)  \
    BY_FLOATS(tanh, 1) BY_FLOATS(expm1, 1) BY_FLOATS(log1p, 1)
EVERY(TWO, EXTREME, ONE, BY_FLOATS)

#define NAME(name, ...) {#name, run_##name, &before_##name, 0, 0},
#define NAME_BY_FLOATS(name, operands) {#name, run_##name, &before_##name, &floats_##name, &data_##name},
static const struct {
    const char *name;
    ufunc_loop *run, **before, **floats;
    void **data;
} half_loops[] = {EVERY(NAME, NAME, NAME, NAME_BY_FLOATS)};
#endif

/* The loop of a ufunc, or 0.
 *
 * before: numpy's own loop, which computes what this one does not cover; floats, data: its loop for Float32. */
EXPORT ufunc_loop *half_loop(const char *name, ufunc_loop *before, ufunc_loop *floats, void *data) {
#ifdef HALF_LOOPS
    for (unsigned i = 0; i < sizeof half_loops / sizeof *half_loops; i++)
        if (!strcmp(half_loops[i].name, name)) {
            *half_loops[i].before = before;
            if (half_loops[i].floats)
                *half_loops[i].floats = floats, *half_loops[i].data = data;
            return half_loops[i].run;
        }
#endif
    (void)name, (void)before, (void)floats, (void)data;
    return 0;
}
