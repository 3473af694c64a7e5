// Cases use doubles of stores and seeded numbers, as the tests of programs do.
@_exported public import StoreDoubles
