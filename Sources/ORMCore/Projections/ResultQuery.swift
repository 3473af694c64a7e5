package import ORMRows
package import ORMStorage

/// A question whose answer is rows that are no models: values worked out of rows, or groups.
///
/// ``Projection`` and ``Grouping`` are the two there are; the operations of a store take either.
public protocol ResultQuery<Row>: Sendable {
  /// The model whose rows are asked about.
  associatedtype Model: Persistable
  /// The type of a row of the result.
  associatedtype Row
  /// The request for the rows, and their decoder.
  var source: ResultSource<Row> { get }
}

/// The request that a ``ResultQuery`` makes of a store, and the decoder of its rows.
public struct ResultSource<Row>: Sendable {
  package let output: FetchShape.Output
  package let condition: Condition
  package let order: [SortTerm]
  package let paging: Paging
  package let start: QueryCursor?
  /// The rows that are seen of entities with a soft delete.
  package let deleted: DeletedRows
  /// The operands to compute from the columns of groups; empty if the columns are read as they are.
  package let computed: [Operand]
  /// The positions at which the values of a row are found.
  package let positions: [Int]
  package let decoder: any ResultDecoder<Row>

  /// The request for the model's entity in a store.
  ///
  /// - Throws: the errors of ``RequestLowering``.
  package func request(by lowering: RequestLowering) throws -> FetchRequest {
    try lowering.request(
      output: output, condition: condition, order: order, paging: paging, start: start,
      deleted: deleted)
  }
}

/// Makes a row of the result of a store's row.
package protocol ResultDecoder<Row>: Sendable {
  /// The type of a row of the result.
  associatedtype Row
  /// Reads a row whose values are at these positions.
  func decode<R: RowReader & ~Copyable>(_ row: borrowing R, _ positions: [Int]) throws -> Row
}

/// A decoder of values some of which have a fallback.
protocol FallbackDecoder<Row>: ResultDecoder {
  /// The fallback of each value: the raw value whose case stands for one that has none.
  var fallbacks: [StoredValue?] { get set }
}

/// Reads the values of a row one after another as a tuple.
struct TupleDecoder<each Value: AttributeValue>: FallbackDecoder {
  typealias Row = (repeat each Value)

  var fallbacks: [StoredValue?] = []

  func decode<R: RowReader & ~Copyable>(
    _ row: borrowing R, _ positions: [Int]
  ) throws -> (repeat each Value) {
    var position = 0
    return (repeat try read((each Value).self, row, positions, &position))
  }

  private func read<Read: AttributeValue, R: RowReader & ~Copyable>(
    _ type: Read.Type, _ row: borrowing R, _ positions: [Int], _ position: inout Int
  ) throws -> Read {
    defer { position += 1 }
    do {
      return try Read.read(from: row, at: positions[position])
    } catch {
      guard fallbacks.indices.contains(position), let fallback = fallbacks[position] else {
        throw error
      }
      return try Read(row.value(at: positions[position]), orFallback: fallback)
    }
  }
}

/// Reads the one value of a row.
///
/// A tuple that a pack makes of one type is not that type everywhere to the compiler.
struct ValueDecoder<Value: AttributeValue>: FallbackDecoder {
  typealias Row = Value

  var fallbacks: [StoredValue?] = []

  func decode<R: RowReader & ~Copyable>(_ row: borrowing R, _ positions: [Int]) throws -> Value {
    try TupleDecoder<Value>(fallbacks: fallbacks).decode(row, positions)
  }
}

/// Reads a row by another decoder, and makes something else of it.
struct MappedDecoder<Base: ResultDecoder, Row>: ResultDecoder {
  let base: Base
  let transform: @Sendable (Base.Row) throws -> Row

  func decode<R: RowReader & ~Copyable>(_ row: borrowing R, _ positions: [Int]) throws -> Row {
    try transform(base.decode(row, positions))
  }
}

extension ResultDecoder {
  /// The same rows made into something else.
  func mapped<Shape>(
    _ transform: @escaping @Sendable (Row) throws -> Shape
  ) -> any ResultDecoder<Shape> {
    MappedDecoder(base: self, transform: transform)
  }
}
