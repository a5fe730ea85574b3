    // One row of a product DYᵀ·X: a0 … a7 and b0 … b7, rows of eight columns of DY by two quads of columns of X, gain
    // d0, d1 by xa and xb.
    a0 = fma(vec4f(d0.x), xa, a0);
    a1 = fma(vec4f(d0.y), xa, a1);
    a2 = fma(vec4f(d0.z), xa, a2);
    a3 = fma(vec4f(d0.w), xa, a3);
    a4 = fma(vec4f(d1.x), xa, a4);
    a5 = fma(vec4f(d1.y), xa, a5);
    a6 = fma(vec4f(d1.z), xa, a6);
    a7 = fma(vec4f(d1.w), xa, a7);
    b0 = fma(vec4f(d0.x), xb, b0);
    b1 = fma(vec4f(d0.y), xb, b1);
    b2 = fma(vec4f(d0.z), xb, b2);
    b3 = fma(vec4f(d0.w), xb, b3);
    b4 = fma(vec4f(d1.x), xb, b4);
    b5 = fma(vec4f(d1.y), xb, b5);
    b6 = fma(vec4f(d1.z), xb, b6);
    b7 = fma(vec4f(d1.w), xb, b7);
