#if Observability
  @_exported public import ORM
#endif
