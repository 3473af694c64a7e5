internal import Dispatch
internal import ORMStorage

extension Store {
  /// Returns a reader whose requests are reported; the same for a store without instruments.
  package func reported(_ layered: LayeredReader, in slot: BlockSlot) -> LayeredReader {
    guard runtime.monitor != nil else { return layered }
    let reader = ReportedReader(
      layered.reader, engine: layered.engine, of: self, in: slot, explain: RequestReports.explain)
    if layered.reader === layered.engine { return LayeredReader(reader: reader, engine: reader) }
    return LayeredReader(
      reader: reader,
      engine: ReportedReader(
        layered.engine, engine: layered.engine, of: self, in: slot, explain: RequestReports.explain)
    )
  }

  /// Returns a reader whose requests are reported as those of a block.
  package func reported(
    _ layered: LayeredReader, in block: TransactionScheduler.Block
  ) -> LayeredReader { reported(layered, in: block.slot) }

  /// Returns a writer whose requests are reported; the same for a store without instruments.
  func reported(_ layered: LayeredWriter, in slot: BlockSlot) -> LayeredWriter {
    guard runtime.monitor != nil else { return layered }
    let writer = ReportedWriter(
      layered.writer, engine: layered.engine, of: self, in: slot, explain: RequestReports.explain)
    var engine = writer
    if layered.writer !== layered.engine {
      engine = ReportedWriter(
        layered.engine, engine: layered.engine, of: self, in: slot, explain: RequestReports.explain)
    }
    return LayeredWriter(
      writer: writer, engine: engine, interceptor: layered.interceptor,
      recorder: layered.recorder, history: layered.history, isDirect: layered.isDirect)
  }
}

extension RequestReports {
  /// Explains a request in a read of its own, which is not reported.
  @Sendable
  fileprivate static func explain(
    _ store: any Store, _ request: FetchRequest, _ give: @escaping @Sendable (String?) -> Void
  ) {
    StoreMonitor.unreported {
      store.submitRead(
        consistency: .latestCommit, on: .global(qos: .utility),
        { (plan: Result<String, any Error>) in give(try? plan.get()) }
      ) { try $0.reader.explain(request, analyze: false).withoutValues }
    }
  }
}
