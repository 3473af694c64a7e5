public import ORMStorage

/// The parameters of a statement to which the columns of a row are bound.
///
/// ``SQLStatement/bindRow(from:_:_:)`` hands them to a ``SQLRowBinder``, which makes all use of them.
public final class SQLRowParameters: Sendable {
  /// The entity's name in the program, for errors.
  package let entity: String
  /// The attributes' names in the program, for errors.
  package let attributes: [String]
  /// One slot for each column of the entity.
  @usableFromInline package let slots: [Slot]
  /// One past the last column that is bound.
  @usableFromInline package let end: Int
  /// The largest single value, in bytes.
  @usableFromInline package let maximumValueSize: Int

  /// The parameters of one column.
  @usableFromInline
  package struct Slot: Equatable, Sendable {
    /// The parameter; 0 for a column that the source does not set.
    @usableFromInline package var parameter = 0
    /// The parameter of the folded text beside it; 0 for none.
    @usableFromInline package var foldedParameter = 0
    /// True for the key that the row number stands for, which the caller gets back.
    @usableFromInline package var isRowNumber = false
  }

  /// Makes the parameters of a compiled put.
  package init(_ table: SQLTable, _ query: SQLQuery, maximumValueSize: Int) {
    let entity = table.entity
    var slots = entity.columns.indices.map { position in
      Slot(isRowNumber: table.columnIndexes[position] == table.rowNumber)
    }
    for parameter in query.parameters {
      switch parameter.binding {
      case .column(let position, .folded), .columnOfRows(let position, .folded):
        slots[position].foldedParameter = parameter.first
      case .column(let position, _), .columnOfRows(let position, _):
        slots[position].parameter = parameter.first
      default: break
      }
    }
    self.entity = entity.modelName
    self.attributes = entity.columns.map(\.attribute)
    self.slots = slots
    self.end = slots.lastIndex { $0.parameter != 0 }.map { $0 + 1 } ?? 0
    self.maximumValueSize = maximumValueSize
  }

  /// The error of a value larger than the store takes.
  @usableFromInline
  package func sizeError(_ count: Int, at column: Int) -> StoreError {
    StoreError(
      .tooLarge,
      "a value of \(count) bytes is larger than the store's limit of "
        + "\(maximumValueSize)", entity: entity, attributes: [attributes[column]])
  }

  /// The error of a column that the entity does not have.
  @usableFromInline
  package func columnError(_ column: Int) -> StoreError {
    StoreError(
      .invalidValue,
      "the model sets column \(column), but its entity has fewer columns: make the model's "
        + "coding match its entity", entity: entity)
  }
}
