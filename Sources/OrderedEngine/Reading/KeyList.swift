internal import ORMCore

extension StoreView {
  /// The primary keys of all rows that a request gives, in the order of keys: whoever changes the
  /// rows then goes over them, and over what is near them, in one direction.
  func keys(of request: FetchRequest) throws -> KeyRun {
    let entity = try layout.entity(request.shape.entity)
    var keys = KeyRun(width: entity.key.width)
    if request.shape.isLimited {
      var visitor = KeyVisitor(entity: entity, keys: keys)
      try visit(request, &visitor)
      keys = visitor.keys
    } else {
      try check()
      var (prepared, request) = (try prepared(request.shape), request)
      if !prepared.alternatives.isEmpty {
        prepared = try chosen(prepared, request)
        request = try settled(request, for: prepared)
      }
      let condition = try prepared.condition(request.bindings, self)
      try prepared.stream(self, request.bindings).forEachKey(where: condition) { keys.append($0) }
    }
    keys.finish()
    return keys
  }
}

private struct KeyVisitor: RowVisitor {
  let entity: EntityStorage
  var keys: KeyRun

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var buffer = ByteBuffer()
    for (term, column) in zip(entity.key.terms, entity.declared.key) {
      buffer.append(term, value: try row.value(at: column))
    }
    keys.append(buffer.bytes)
    return .next
  }
}
