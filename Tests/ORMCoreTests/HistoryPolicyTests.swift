internal import ORMStorage
internal import Testing

@Suite("Policies of histories")
struct HistoryPolicyTests {
  @Test("the bounds without options are the defaults of a recorded history")
  func usualBounds() {
    #expect(HistoryPolicy.retained().form == .retained(.usual))
    // 7 days and 30 days, in seconds.
    #expect(HistoryBounds.usual.age == 604_800)
    #expect(HistoryBounds.usual.consumerAge == 2_592_000)
  }
}
