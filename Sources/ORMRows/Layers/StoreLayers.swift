internal import ORMStorage

/// The layers between the operations and an engine, for schemas that need more than plain rows.
///
/// Each layer is a reader or writer around another, so that every path that reads or writes goes
/// through it.
///
/// A store whose schema needs no layer pays for none: its operations use the engine's own readers
/// and writers.
package final class StoreLayers: Sendable {
  /// The layer that keeps large values outside of rows: the innermost, directly around the engine.
  package let external: ExternalLayer?
  /// Subentities, whose rows are rows of the root of their hierarchy.
  private let subentities: Subentities?
  private let interceptors: StoreInterceptors
  private let derivations: StoreDerivations
  /// The history that is written with each commit.
  package let history: StoreHistory?

  init(_ store: any Store) throws {
    external = ExternalLayer(store)
    subentities = try Subentities(store.schema)
    interceptors = try store.interceptors()
    derivations = try store.derivations()
    history = try StoreHistory(store)
  }

  /// True if there is no layer.
  package var isEmpty: Bool {
    external == nil && subentities == nil && interceptors.isEmpty && history == nil
  }

  /// Returns whether finds by key of an entity are the engine's, so that no layer need be asked.
  package func leavesFinds(of entity: String) -> Bool {
    external?.concerns(entity) != true && subentities?.concerns(entity) != true
  }

  /// A reader of a store with the layers around it, the innermost first.
  ///
  /// - Parameters:
  ///   - slot: the slot of the read block that the reader is for; nil for readers of no block.
  ///   - wrapping: makes the reader at the layer where changes are recorded, for readers that are
  ///     observed.
  package func reader(
    of store: any Store, isForOperation: Bool = false, freshness: ReadFreshness = .newest,
    in slot: BlockSlot? = nil,
    wrapping: ((any StoreReader) -> any StoreReader)? = nil
  ) throws -> LayeredReader {
    let external = try external?.reader(of: store)
    let engine =
      try external?.engine
      ?? store.engineReader(
        ReadTurn(isForOperation: isForOperation, freshness: freshness), in: slot)
    var base = external?.outer ?? engine
    if let wrapping { base = wrapping(base) }
    return LayeredReader(
      reader: subentities?.reader(around: base) ?? base, engine: engine)
  }

  /// A writer of a store with the layers around it, the innermost first.
  ///
  /// - Parameter levels: the levels that listeners to changes ask for; nil without any.
  func writer(
    of store: any Store, isForOperation: Bool = false, recording levels: ChangeLevels?
  ) throws -> LayeredWriter {
    let external = try external?.writer(of: store)
    let engine = try external?.engine ?? store.writer(WriteTurn(isForOperation: isForOperation))
    var levels = levels
    let historyRecorder: HistoryRecorder?
    do {
      historyRecorder = try history.map { try HistoryRecorder($0, engine) }
    } catch {
      (external?.outer ?? engine).end()
      throw error
    }
    if let asked = historyRecorder?.asked {
      levels = levels?.adding(asked) ?? ChangeLevels([asked])
    }
    let deltas = RowDeltas()
    let recorder = try levels.map {
      try store.recorder(around: external?.outer ?? engine, engine: engine, $0, deltas)
    }
    let base: any StoreWriter = recorder ?? external?.outer ?? engine
    let derived =
      derivations.isEmpty ? nil : DerivedWriter(base, derivations, subentities, deltas: deltas)
    let inner: any StoreWriter = derived ?? base
    let writer: any StoreWriter = subentities?.writer(around: inner) ?? inner
    if interceptors.isEmpty {
      return LayeredWriter(
        writer: writer, engine: engine, interceptor: nil, recorder: recorder,
        history: historyRecorder)
    }
    let interceptor = InterceptingWriter(
      writer, interceptors: interceptors, derived: derived, deltas: deltas)
    return LayeredWriter(
      writer: interceptor, engine: engine, interceptor: interceptor, recorder: recorder,
      history: historyRecorder)
  }
}

extension Store {
  /// A reader for the operations.
  ///
  /// - Parameters:
  ///   - isForOperation: true if it is for one operation, and not for a block.
  ///   - freshness: how new its state has to be.
  ///   - slot: the slot of the read block that it is for; nil for readers of no block.
  package func layeredReader(
    isForOperation: Bool = false, freshness: ReadFreshness = .newest, in slot: BlockSlot? = nil
  ) throws -> LayeredReader {
    guard runtime.isDirect else {
      return try indirectReader(isForOperation: isForOperation, freshness: freshness, in: slot)
    }
    let turn = ReadTurn(isForOperation: isForOperation, freshness: freshness)
    let reader = try engineReader(turn, in: slot)
    return LayeredReader(reader: reader, engine: reader)
  }

  /// A reader with the layers of the schema, and around them the one that instruments listen at.
  @inline(never)
  private func indirectReader(
    isForOperation: Bool, freshness: ReadFreshness, in slot: BlockSlot?
  ) throws -> LayeredReader {
    let layered: LayeredReader
    if let layers = try layers() {
      layered = try layers.reader(
        of: self, isForOperation: isForOperation, freshness: freshness, in: slot)
    } else {
      let reader = try engineReader(
        ReadTurn(isForOperation: isForOperation, freshness: freshness), in: slot)
      layered = LayeredReader(reader: reader, engine: reader)
    }
    guard let slot else { return layered }
    slot.span?.note(isOperation: isForOperation)
    return reported(layered, in: slot)
  }

  /// A reader of the engine: that of the last block in a slot, if it can begin anew, or a new one.
  ///
  /// The objects of a new reader cost a fifth of a find by key. A transaction that was used past
  /// its block still has the reader; the end of its block keeps it from being used.
  @inline(__always)
  fileprivate func engineReader(
    _ turn: borrowing ReadTurn, in slot: BlockSlot?
  ) throws -> any StoreReader {
    guard keepsReaders, let slot else { return try reader(turn) }
    if let pooled = slot.pooledReader {
      if try restart(pooled, turn, in: slot) { return pooled }
      slot.pooledReader = nil
    }
    let reader = try reader(turn)
    slot.pooledReader = reader as? any RestartableReader
    return reader
  }

  @inline(__always)
  private func restart(
    _ pooled: any RestartableReader, _ turn: borrowing ReadTurn, in slot: BlockSlot
  ) throws -> Bool {
    do {
      return try pooled.restart(turn)
    } catch {
      slot.pooledReader = nil
      throw error
    }
  }

  /// A writer for the operations.
  ///
  /// - Parameters:
  ///   - isForOperation: true if it is for one operation, and not for a block.
  ///   - slot: the slot of the write block that it is for.
  func layeredWriter(isForOperation: Bool = false, in slot: BlockSlot) throws -> LayeredWriter {
    guard runtime.isDirect else {
      let writer: LayeredWriter
      if let layers = try layers() {
        writer = try layers.writer(
          of: self, isForOperation: isForOperation,
          recording: runtime.transactions.listeners.recording)
      } else {
        writer = try unlayeredWriter(isForOperation: isForOperation)
      }
      slot.span?.note(isOperation: isForOperation)
      return reported(writer, in: slot)
    }
    return try unlayeredWriter(isForOperation: isForOperation)
  }

  /// A writer for the operations of a store whose schema needs no layers.
  @inline(__always)
  private func unlayeredWriter(isForOperation: Bool) throws -> LayeredWriter {
    let levels = runtime.transactions.listeners.recording
    let writer = try writer(WriteTurn(isForOperation: isForOperation))
    guard let levels else {
      return LayeredWriter(
        writer: writer, engine: writer, interceptor: nil, recorder: nil, isDirect: true)
    }
    let recorder = try recorder(around: writer, engine: writer, levels)
    return LayeredWriter(writer: recorder, engine: writer, interceptor: nil, recorder: recorder)
  }

  /// A writer that records changes around another; when it cannot be made, the other is ended.
  fileprivate func recorder(
    around writer: any StoreWriter, engine: any StoreWriter, _ levels: ChangeLevels,
    _ deltas: RowDeltas = RowDeltas()
  ) throws -> ChangeRecorder {
    do {
      return ChangeRecorder(
        writer, engine: engine, try recordedSchema(), levels, limit: runtime.options.maximumChanges,
        deltas: deltas)
    } catch {
      writer.end()
      throw error
    }
  }

  /// The layers of this store; nil where there are none.
  package func layers() throws -> StoreLayers? {
    if runtime.isDirect { return nil }
    let layers = try runtime.plan(for: StoreLayers.self) { try StoreLayers(self) }
    guard layers.isEmpty else { return layers }
    if runtime.monitor == nil { runtime.becomeDirect() }
    return nil
  }
}
