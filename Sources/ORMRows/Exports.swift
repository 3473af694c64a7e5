// A module that works on rows needs no second import: values, errors and the store protocol come along.
@_exported public import ORMStorage
