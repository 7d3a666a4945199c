/tmp/w/a/product 7000 9
