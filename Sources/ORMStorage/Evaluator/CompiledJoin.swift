internal import ORMValues

/// The part of a compiled shape that finds the row of another entity to which a row leads.
///
/// It serves `FetchShape.Output.joined`.
package struct CompiledJoin: Sendable {
  /// The request for the other row; its parameters are the values that the links equal.
  package let shape: FetchShape
  /// The columns of the row whose values the links equal.
  let links: [Int]
  /// The columns of the row that are passed on after those of the other.
  let beside: [Int]
  /// The number of columns the other entity has.
  let width: Int

  /// Looks up the names of a join.
  ///
  /// - Throws: `unknownAttribute`, `unknownEntity`, `invalidCondition` for a link to another row.
  package init(
    _ step: RelatedRows.Step, _ attributes: [String], entity: StoredEntity, schema: StoredSchema
  ) throws {
    guard let other = schema[step.entity] else {
      throw StoreError(
        .unknownEntity, "the schema has no entity \(step.entity)", entity: step.entity)
    }
    links = try step.links.map { try entity.column(of: $0.other) }
    beside = try attributes.map { try entity.column(of: Operand.Path([$0])) }
    width = other.columns.count
    let kinds = links.map { entity.columns[$0].type.kind }
    var tests = step.links.enumerated().map { slot, link in
      Condition.compare(.attribute(link.attribute), .equal, .parameter(slot, kinds[slot]), [])
    }
    if let attribute = step.nullAttribute {
      tests.append(.compare(.attribute(attribute), .equal, .value(.null), []))
    }
    shape = FetchShape(entity: other.name, condition: Condition.all(tests).normalized())
  }

  /// The join over a view of the store.
  ///
  /// - Parameter reader: answers for the other rows.
  package func bound(to reader: any StoreReader) throws -> BoundJoin {
    try BoundJoin(self, reader)
  }
}

/// Passes on one row after another, each with the one that it leads to.
///
/// It belongs to a cursor and is used for one row at a time.
package final class BoundJoin {
  private let join: CompiledJoin
  private let reader: any StoreReader
  /// The request, where the store keeps something between two askings.
  private let repeated: (any RepeatedRequest)?

  fileprivate init(_ join: CompiledJoin, _ reader: any StoreReader) throws {
    self.join = join
    self.reader = reader
    repeated = try (reader as? any RepeatingReader)?.repeated(
      join.shape, bindings: Array(repeating: .null, count: join.links.count),
      changing: join.links.count, isPresence: false)
  }

  /// Passes on a row with the one that it leads to; goes on where it leads nowhere.
  package func pass<R: RowReader & ~Copyable, V: RowVisitor>(
    _ row: borrowing R, to visitor: inout V
  ) throws -> VisitStep {
    var bindings: [StoredValue] = []
    bindings.reserveCapacity(join.links.count)
    for column in join.links {
      let value = try row.value(at: column)
      if value.isNull { return .next }
      bindings.append(value)
    }
    var beside: [StoredValue] = []
    beside.reserveCapacity(join.beside.count)
    for column in join.beside { beside.append(try row.value(at: column)) }
    // By its address, since a copy of the visitor would copy the values that it collects.
    return try withUnsafeMutablePointer(to: &visitor) { visitor in
      var joining = JoiningVisitor(
        visitor: visitor, width: join.width, beside: BufferedRow(beside))
      if let repeated {
        try repeated.visit(bindings, &joining)
      } else {
        try reader.visit(FetchRequest(join.shape, bindings: bindings), &joining)
      }
      return joining.step
    }
  }
}

/// Takes the other row and passes it on with the values beside.
private struct JoiningVisitor<V: RowVisitor>: RowVisitor {
  let visitor: UnsafeMutablePointer<V>
  let width: Int
  let beside: BufferedRow
  var step = VisitStep.next

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    step = try withUnsafePointer(to: row) { row in
      try visitor.pointee.visit(JoinedRow(row, width: width, beside: beside))
    }
    return .stop
  }
}
