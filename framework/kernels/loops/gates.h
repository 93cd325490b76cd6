/* One row of a batch in a step of a recurrent network, forward and backward: the gates, and the states behind them.
 *
 * A row of gates has the numbers of all units for each gate in turn: input, forget, candidate, output for LSTM
 * (Hochreiter and Schmidhuber 1997), reset, update, candidate for GRU (Cho et al. 2014). */

#if defined(__GNUC__) && !defined(__clang__)
/* A multiplication and an addition, fused on processors that can. */
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif

#include "lanes.h"

/* exp(-|x|), within 2 units in the last place, at least 1.2e-38: as `exp`, without its cases. */
INLINE lanes OF(fading)(lanes x) {
    const lanes least = OF(all)(-87.33654f), falling = (lanes)((whole)x | (whole)OF(all)(-0.0f));
    const lanes within = OF(choose)(falling < least, least, falling);
    const lanes shifted = within * 1.44269504f + 12582912.0f;
    const lanes n = shifted - 12582912.0f;
    const lanes r = within - n * 0.693359375f - n * -2.12194440e-4f;
    lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * (lanes)(((whole)shifted - 0x4b400000 + 127) << 23);
}

/* 1 / (1 + exp(-x)), by a number that does not overflow. */
INLINE lanes OF(logistic)(lanes x) {
    const lanes e = OF(fading)(x);
    return OF(choose)(x < 0.0f, e, OF(all)(1.0f)) / (1.0f + e);
}

/* tanh(x), within 4e-7 of its size. Near 0 Cephes' polynomial, else (1 - e) / (1 + e) with e = exp(-2 |x|). */
INLINE lanes OF(tangent)(lanes x) {
    const whole sign = (whole)x & (whole)OF(all)(-0.0f);
    const lanes square = x * x, e = OF(fading)(x + x);
    lanes p = square * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    const lanes large = (lanes)((whole)((1.0f - e) / (1.0f + e)) | sign);
    return OF(choose)(square < 0.390625f, p * square * x + x, large);
}

/* The contributions of the inputs and of the hidden state to a gate, and the bias. */
#define TOTAL(gate) (LOAD(x + (gate)*units, 0) + LOAD(product + (gate)*units, 0) + LOAD(bias + (gate)*units, 0))

/* LSTM: `x` has the contributions of the inputs, `product` those of the hidden state, `before` the cell state. */
WIDE void OF(lstm_row)(const float *x, const float *product, const float *bias, const float *before, float *gates,
                       float *memory, float *state, int64_t units) {
    EACH(units, {
        const lanes i = OF(logistic)(TOTAL(0));
        const lanes f = OF(logistic)(TOTAL(1));
        const lanes g = OF(tangent)(TOTAL(2));
        const lanes o = OF(logistic)(TOTAL(3));
        const lanes c = f * LOAD(before, 0) + i * g;
        STORE(gates, i)
        STORE(gates + units, f)
        STORE(gates + 2 * units, g)
        STORE(gates + 3 * units, o)
        STORE(memory, c)
        STORE(state, o * OF(tangent)(c))
    })
}

/* `kept` and `product` sum up to the gradient of the hidden state from later steps, `given` is that of the output. */
WIDE void OF(lstm_back_row)(const float *gates, const float *before, const float *memory, const float *given,
                            const float *product, float *kept, float *dmemory, float *dgates, int64_t units) {
    EACH(units, {
        const lanes i = LOAD(gates, 0), f = LOAD(gates + units, 0);
        const lanes g = LOAD(gates + 2 * units, 0), o = LOAD(gates + 3 * units, 0);
        const lanes dh = LOAD(given, 0) + LOAD(kept, 0) + LOAD(product, 0), t = OF(tangent)(LOAD(memory, 0));
        const lanes dc = LOAD(dmemory, 0) + dh * o * (1.0f - t * t);
        STORE(dgates, dc * g * i * (1.0f - i))
        STORE(dgates + units, dc * LOAD(before, 0) * f * (1.0f - f))
        STORE(dgates + 2 * units, dc * i * (1.0f - g * g))
        STORE(dgates + 3 * units, dh * t * o * (1.0f - o))
        STORE(dmemory, dc * f)
        STORE(kept, OF(all)(0))
    })
}

/* GRU: `before` is the hidden state; `bias` belongs to the inputs, `other` to the hidden state. `gates` gets a fourth
 * part, what the reset gate is multiplied by. */
WIDE void OF(gru_row)(const float *x, const float *product, const float *bias, const float *other, const float *before,
                      float *gates, float *state, int64_t units) {
    EACH(units, {
        const lanes r = OF(logistic)(TOTAL(0) + LOAD(other, 0)), z = OF(logistic)(TOTAL(1) + LOAD(other + units, 0));
        const lanes of_state = LOAD(product + 2 * units, 0) + LOAD(other + 2 * units, 0);
        const lanes n = OF(tangent)(LOAD(x + 2 * units, 0) + LOAD(bias + 2 * units, 0) + r * of_state);
        STORE(gates, r)
        STORE(gates + units, z)
        STORE(gates + 2 * units, n)
        STORE(gates + 3 * units, of_state)
        STORE(state, n + z * (LOAD(before, 0) - n))
    })
}

/* The gradients of the contributions of the input, `dx`, and of the hidden state, `dproduct`. */
WIDE void OF(gru_back_row)(const float *gates, const float *before, const float *given, const float *product,
                           float *kept, float *dx, float *dproduct, int64_t units) {
    EACH(units, {
        const lanes r = LOAD(gates, 0), z = LOAD(gates + units, 0), n = LOAD(gates + 2 * units, 0);
        const lanes of_state = LOAD(gates + 3 * units, 0);
        const lanes dh = LOAD(given, 0) + LOAD(kept, 0) + LOAD(product, 0);
        const lanes dn = dh * (1.0f - z) * (1.0f - n * n), dz = dh * (LOAD(before, 0) - n) * z * (1.0f - z);
        const lanes dr = dn * of_state * r * (1.0f - r);
        STORE(dx, dr)
        STORE(dx + units, dz)
        STORE(dx + 2 * units, dn)
        STORE(dproduct, dr)
        STORE(dproduct + units, dz)
        STORE(dproduct + 2 * units, dn * r)
        STORE(kept, dh * z)
    })
}

#include "normal.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
