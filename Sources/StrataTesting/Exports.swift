@_exported public import StoreDoubles
