internal import Testing

#if canImport(XCTest)
  internal import XCTest
#endif

/// The report of a failure to the library that runs the test.
enum TestReport {
  /// Records a failure at a location: by Swift Testing inside one of its tests, else by XCTest.
  static func fail(_ message: String, at location: SourceLocation) {
    #if canImport(XCTest)
      if Test.current == nil {
        XCTFail("\(location.fileID):\(location.line): \(message)")
        return
      }
    #endif
    Issue.record(Comment(rawValue: message), sourceLocation: location)
  }
}
