yoke run photons --input /tmp/tissue.mci --size 240M --devices cuda:0,cuda:1 --kernel step --repeat 2 --baselines --verify
