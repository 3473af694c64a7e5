// A module that imports ORMCore sees the seam, and the values below it.
@_exported public import ORMStorage
