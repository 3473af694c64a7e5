// A program that maps JSON needs the models and the operations as well.
@_exported public import ORM
