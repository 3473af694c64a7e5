package import ORMStorage

/// A reader with the layers around it.
package struct LayeredReader {
  package let reader: any StoreReader
  /// The reader beneath the layers.
  package let engine: any StoreReader

  package init(reader: any StoreReader, engine: any StoreReader) {
    self.reader = reader
    self.engine = engine
  }
}

/// A writer with the layers around it.
struct LayeredWriter {
  let writer: any StoreWriter
  /// The writer beneath the layers.
  let engine: any StoreWriter
  /// The outermost layer, where the schema has rules, hooks, managed or derived attributes.
  let interceptor: (any RowInterceptor)?
  /// The layer that records changes; nil while no listener asks for them.
  let recorder: ChangeRecorder?
  /// The history of the transaction, where the store has one.
  var history: HistoryRecorder?
  /// True if there is no layer between the operations and the engine, but for one that instruments
  /// listen at.
  var isDirect = false
}
