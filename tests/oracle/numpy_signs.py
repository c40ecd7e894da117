# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy that promise a sign, in the order of signs_test.cpp. JAX gives some zeros others."""

import numpy as np
from jax_functions import program


@program
def numpy_signs(a, b):
    with np.errstate(all="ignore"):
        return [
            np.mod(a, b),
            np.floor_divide(a, b),
            *reversed(np.divmod(a, b)),
            np.fmod(a, b),
            np.copysign(a, b),
            np.round(a),
            np.floor(a),
            np.ceil(a),
            np.trunc(a),
            np.negative(a),
            np.abs(a),
        ]
