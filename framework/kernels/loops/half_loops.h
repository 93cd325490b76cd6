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
        if (steps[2] == (size) && is_plain(given[0], steps[0], given[2]) && is_plain(given[1], steps[1], given[2]))    \
            half_##name##_avx2(given, lengths[0], steps);                                                              \
        else                                                                                                           \
            before_##name(given, lengths, steps, data);                                                                \
    }
#define ONE(name)                                                                                                      \
    static ufunc_loop *before_##name;                                                                                  \
    static void run_##name(char **given, const int64_t *lengths, const int64_t *steps, void *data) {                   \
        if (steps[0] == 2 && steps[1] == 2 && is_plain(given[0], steps[0], given[1]))                                  \
            half_##name##_avx2(given, lengths[0], steps);                                                              \
        else                                                                                                           \
            before_##name(given, lengths, steps, data);                                                                \
    }
#define EVERY(TWO, ONE)                                                                                                \
    TWO(add, 2) TWO(subtract, 2) TWO(multiply, 2) TWO(divide, 2) TWO(maximum, 2) TWO(minimum, 2) TWO(greater, 1)       \
    TWO(greater_equal, 1) TWO(less, 1) TWO(less_equal, 1) TWO(equal, 1) TWO(not_equal, 1)                              \
    ONE(sqrt) ONE(square) ONE(reciprocal)
EVERY(TWO, ONE)

#define NAME_TWO(name, size) {#name, run_##name, &before_##name},
#define NAME_ONE(name) {#name, run_##name, &before_##name},
static const struct {
    const char *name;
    ufunc_loop *run, **before;
} half_loops[] = {EVERY(NAME_TWO, NAME_ONE)};
#endif

/* The loop of a ufunc, or 0; keeps the one that numpy had before, for what the loop does not cover. */
EXPORT ufunc_loop *half_loop(const char *name, ufunc_loop *before) {
#ifdef HALF_LOOPS
    for (unsigned i = 0; i < sizeof half_loops / sizeof *half_loops; i++)
        if (!strcmp(half_loops[i].name, name)) {
            *half_loops[i].before = before;
            return half_loops[i].run;
        }
#endif
    (void)name, (void)before;
    return 0;
}
