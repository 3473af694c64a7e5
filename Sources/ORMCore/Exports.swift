// A module that imports ORMCore sees the rows, the seam, and the values below it.
@_exported public import ORMRows
@_exported public import ORMStorage
