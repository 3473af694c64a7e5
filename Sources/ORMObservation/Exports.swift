// A program that follows a store needs the models and the operations as well.
@_exported public import ORM
