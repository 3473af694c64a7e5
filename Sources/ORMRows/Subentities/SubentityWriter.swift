internal import ORMStorage

/// A writer that knows subentities, around one that knows their roots.
final class SubentityWriter: SubentityReader, ForwardingWriter {
  private let writer: any StoreWriter

  init(_ writer: any StoreWriter, _ subentities: Subentities) {
    self.writer = writer
    super.init(writer, subentities)
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard let subentity = subentities[request.entity] else {
      return try writer.put(request, from: &source, to: &visitor)
    }
    try naming(request.entity) {
      var put = SubentityPut(subentity, request)
      let few = try put.examine(&source, against: writer)
      var rows = put.source(few, source)
      defer { source = rows.base }
      if request.reports.contains(.oldRows) {
        try withUnsafeMutablePointer(to: &visitor) { visitor in
          var translating = TranslatingPutVisitor(visitor: visitor, columns: subentity.columns)
          try writer.put(put.request, from: &rows, to: &translating)
        }
      } else {
        try writer.put(put.request, from: &rows, to: &visitor)
      }
    }
  }

  func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .update(let request, let assignments):
      let subentity = subentities[request.shape.entity]
      return try naming(request.shape.entity) {
        let count = try writer.apply(subentities.translated(request, assignments, of: subentity))
        for assignment in assignments where assignment.mayBeNull {
          if let subentity { try checkRequired(assignment.column, of: subentity) }
        }
        return count
      }
    case .delete(let request):
      return try naming(request.shape.entity) {
        try writer.apply(.delete(subentities.translated(request).request))
      }
    case .clear(let name):
      guard let entity = subentities[name]?.entity else { return try writer.apply(change) }
      return try apply(
        .delete(FetchRequest(entity: name, sort: SortTerm.total([], entity: entity))))
    }
  }

  func execute(sql statement: SQLRequest) throws -> Int {
    try writer.runningStatements.execute(sql: subentities.translated(statement))
  }

  /// The root takes nil where the subentity does not.
  private func checkRequired(_ column: Int, of subentity: Subentity) throws {
    let attribute = subentity.entity.columns[column]
    guard !attribute.isOptional else { return }
    let found = try rows(
      of: FetchRequest(
        of: subentity.entity,
        output: .values(
          subentity.entity.key.map {
            .attribute(subentity.entity.columns[$0].attribute)
          }), condition: .compare(.attribute(attribute.attribute), .equal, .value(.null), []),
        limit: 1))
    guard let key = found.first else { return }
    throw StoreError(
      .missingValue, "a required attribute has no value", entity: subentity.entity.modelName,
      key: key, attributes: [attribute.attribute])
  }

  var forwardedWriter: any StoreWriter { writer }

  func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try writer.raiseGreatestKey(of: subentities[entity]?.root.name ?? entity, to: key)
  }
}

extension StoreChange.Assignment {
  /// True if the assigned value may be nil.
  fileprivate var mayBeNull: Bool {
    switch value {
    case .value(let value): value.isNull
    case .parameter, .parameterList: false
    default: true
    }
  }
}

/// Reports the old rows of a root as those of a subentity.
///
/// It points at the visitor and is valid for the call alone in which it was made.
private struct TranslatingPutVisitor<O: PutVisitor>: PutVisitor {
  let visitor: UnsafeMutablePointer<O>
  let columns: [Int]

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    try visitor.pointee.didPut(outcome, key: key)
  }

  mutating func didRewind() { visitor.pointee.didRewind() }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try withUnsafePointer(to: old) { old in
      try visitor.pointee.willReplace(TranslatedRow(old, columns: columns))
    }
  }
}
