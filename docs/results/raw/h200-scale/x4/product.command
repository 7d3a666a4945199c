/tmp/w/c/product 7000 9
