// A program that edits in sessions needs the models and the operations as well.
@_exported public import ORM
