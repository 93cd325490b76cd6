"""From the program of all ranks to that of one: what inference calls to cut a region.

cut_regions            all of it in order
datasets               where arguments and results of a network are, by the settings
network_of_program     reads a program as a network of operators and values
cut_parameters         Parameters of which each rank has a part
inserting              writes the program of a rank
part_operators         what is put between operators on parts: redistributions and sums
"""
