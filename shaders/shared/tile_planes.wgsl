  // Stores sum0 … sum7 as four rows from m on, both planes of each. A loop, not copies, which compile longer.
  for (var g = 0u; g < 4u; g++) {
    var re = sum0;
    var im = sum1;
    switch (g) {
      case 1u: {
        re = sum2;
        im = sum3;
      }
      case 2u: {
        re = sum4;
        im = sum5;
      }
      case 3u: {
        re = sum6;
        im = sum7;
      }
      default: {}
    }
    store(m + g, q, re, im);
  }
