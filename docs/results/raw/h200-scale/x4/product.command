/root/out/scale/product 7000 9
